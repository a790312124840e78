import { createRandom } from './random';

/** Chat completion requests as the pieces of an HTTP/1.1 message, so that a large body is never copied to be sent. */
export interface ChatRequests {
  /** `sequence` from 0: chooses the conversation and makes the end of the last user message unlike any other. */
  next(sequence: number): readonly Buffer[];
}

export interface ChatRequestsOptions {
  readonly model: string;
  /** Length of each JSON body, at least 512. */
  readonly bodyBytes: number;
  /** Conversations whose whole history differs; requests take turns. */
  readonly conversations: number;
  readonly seed: number;
}

const WORDS = 'the gateway sends each request to a pod that holds its prefix in memory and answers first of all'.split(
  ' ',
);
const TURN_CHARACTERS = 3_000;
const DIGITS = 12;
const TAIL = '"}],"max_tokens":64,"temperature":0.7,"stream":false}';

export function createChatRequests(options: ChatRequestsOptions): ChatRequests {
  const random = createRandom(options.seed);
  const heads = Array.from({ length: options.conversations }, () => Buffer.from(headOf(options, random)));
  return {
    next(sequence) {
      const unique = String(sequence % 10 ** DIGITS).padStart(DIGITS, '0');
      return [heads[sequence % heads.length]!, Buffer.from(unique + TAIL)];
    },
  };
}

/** The message up to the digits that make it unique. */
function headOf({ model, bodyBytes }: ChatRequestsOptions, random: () => number): string {
  const room = bodyBytes - DIGITS - TAIL.length;
  let body = `{"model":${JSON.stringify(model)},"messages":[{"role":"system","content":${text(120, random)}}`;
  for (let turn = 0; body.length + 2 * TURN_CHARACTERS < room; turn++) {
    body += `,{"role":"${turn % 2 === 0 ? 'user' : 'assistant'}","content":${text(TURN_CHARACTERS, random)}}`;
  }
  body += ',{"role":"user","content":"';
  while (body.length < room) body += `${word(random)} `;
  body = body.slice(0, room);
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway.bench',
    'accept: application/json',
    'authorization: Bearer sk-bench',
    'content-type: application/json',
    'user-agent: OpenAI/JS 7.0.0',
    `content-length: ${bodyBytes}`,
    '',
    body,
  ].join('\r\n');
}

/** A JSON string of about that many characters; as in real prompts every line ends with an escape. */
function text(characters: number, random: () => number): string {
  let line = 0;
  let result = '';
  while (result.length < characters) {
    result += word(random);
    if (result.length - line > 80) {
      result += random() < 0.2 ? '."\n' : '.\n';
      line = result.length;
    } else {
      result += ' ';
    }
  }
  return JSON.stringify(result);
}

function word(random: () => number): string {
  return WORDS[Math.floor(random() * WORDS.length)]!;
}
