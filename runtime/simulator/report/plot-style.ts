/** How a policy's line looks. Colours are read on white and on near-black; dashes and marks tell them apart without colour. */
export interface SeriesStyle {
  readonly colour: string;
  /** SVG `stroke-dasharray`; `none` for a whole line. */
  readonly dash: string;
  /** SVG path around the origin, about 8 units across. */
  readonly mark: string;
}

const CIRCLE = 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z';
const SQUARE = 'M-3 -3h6v6h-6z';
const DIAMOND = 'M0 -4l4 4l-4 4l-4 -4z';
const TRIANGLE = 'M0 -4l4 7h-8z';

/** So that a policy looks the same in all figures. */
const STYLES: Readonly<Record<string, SeriesStyle>> = {
  gateway: { colour: '#e8590c', dash: 'none', mark: CIRCLE },
  'gie-default': { colour: '#228be6', dash: 'none', mark: SQUARE },
  'round-robin': { colour: '#868e96', dash: 'none', mark: DIAMOND },
  oracle: { colour: '#868e96', dash: '2 3', mark: TRIANGLE },
  'connection-pinned': { colour: '#a0703c', dash: '6 3', mark: SQUARE },
  random: { colour: '#f06595', dash: '6 3', mark: DIAMOND },
  'least-request': { colour: '#0ca678', dash: '6 3', mark: CIRCLE },
  'power-of-two': { colour: '#74a00f', dash: '3 3', mark: TRIANGLE },
  'prefix-sticky': { colour: '#ae3ec9', dash: '6 3', mark: TRIANGLE },
};

const OTHER: SeriesStyle = { colour: '#868e96', dash: '8 2 2 2', mark: CIRCLE };

export function seriesStyle(policy: string): SeriesStyle {
  return STYLES[policy] ?? OTHER;
}

/** For both themes of the reader's system. */
export const STYLE_SHEET = `
text{font:12px system-ui,sans-serif;fill:#1f2328}
.title{font-size:15px;font-weight:600}.panel{font-size:13px;font-weight:600}.quiet{fill:#59636e}
.paper{fill:#fff}.grid{stroke:#d1d9e0;stroke-width:.7}.frame{fill:none;stroke:#868e96}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.paper{fill:#0d1117}.grid{stroke:#30363d}}
`;
