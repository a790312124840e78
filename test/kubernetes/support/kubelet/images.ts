/** What an image holds, as a container image's configuration says it. */
export interface ProgramImage {
  /** Run where the container names no command; before `args`. */
  readonly entrypoint: readonly string[];
  /** Arguments where the container names neither command nor args. */
  readonly cmd?: readonly string[];
  /** Files and folders of this machine, by where the container has them: they need not be readable for all here. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Default 0. */
  readonly user?: number;
  /** Default `/`. */
  readonly workingDir?: string;
}

/** A container of it is nothing but a status, always ready: for many pods that nobody talks to. */
export interface InertImage {
  readonly inert: true;
}

export type Image = ProgramImage | InertImage;

/**
 * By the end of the path: `envoyproxy/gateway` is `docker.io/envoyproxy/gateway:v1.9.1@sha256:…`. A name with a tag is only
 * that of this tag.
 */
export type Images = Readonly<Record<string, Image>>;

/**
 * The image that a reference means: the longest name that its path ends with, one with its tag before all others.
 * Undefined where there is none.
 */
export function findImage(images: Images, reference: string): Image | undefined {
  const tagged = reference.replace(/@.*$/, '');
  return endOf(images, tagged) ?? endOf(images, tagged.replace(/:[^/:]*$/, ''));
}

function endOf(images: Images, path: string): Image | undefined {
  const names = Object.keys(images).filter((name) => path === name || path.endsWith(`/${name}`));
  const [longest] = names.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : images[longest];
}

export const isInert = (image: Image | undefined): image is InertImage => image !== undefined && 'inert' in image;
