import OpenAI from 'openai';

/** One request of the demo as a client makes it, and what came of it. */
export interface DemoResult {
  /** What was asked, for the heading. */
  readonly title: string;
  readonly answer: string;
  /** `ip:port` of the pod that served. */
  readonly endpoint: string;
  /** The scores that chose it. */
  readonly why: string;
  readonly milliseconds: number;
  /** To the first streamed token. */
  readonly ttftMilliseconds?: number;
}

interface DemoChat {
  readonly model: string;
  readonly stream: boolean;
  readonly user: string;
}

/** Long enough for several prefix blocks, as the system prompts of real applications are. */
const SYSTEM = `You are the assistant of a platform team that runs language models on Kubernetes. ${'Answer in short sentences, name the object and the field that a question is about, and never guess. '.repeat(8)}`;

const CHATS: readonly DemoChat[] = [
  { model: 'llama-3.1-8b', stream: false, user: 'Why is my pod pending?' },
  { model: 'llama-3.1-8b', stream: true, user: 'Why is my pod pending, and what do I do first?' },
  { model: 'support-tone', stream: false, user: 'A customer waits for three days. What do I write?' },
  { model: 'sql-helper', stream: true, user: 'Count the orders of last week by country.' },
  { model: 'qwen3-32b', stream: true, user: 'Compare round robin with a KV-cache-aware router.' },
];

const MAX_TOKENS = 24;

/**
 * Sends the demo's requests one by one through the official client. Throws the client's error when one fails, and an
 * error of its own when an answer is empty or was not decided by the router.
 */
export async function* demoRequests(baseUrl: string, clock: () => number): AsyncGenerator<DemoResult> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'none', maxRetries: 0 });
  for (const chat of CHATS) yield await send(client, chat, clock);
}

async function send(client: OpenAI, chat: DemoChat, clock: () => number): Promise<DemoResult> {
  const started = clock();
  const request = {
    model: chat.model,
    max_tokens: MAX_TOKENS,
    messages: [
      { role: 'system' as const, content: SYSTEM },
      { role: 'user' as const, content: chat.user },
    ],
  };
  const options = { headers: { 'x-gateway-explain': '1' } };
  const title = `${chat.model}${chat.stream ? ', streamed' : ''}: ${chat.user}`;
  const facts = (response: Response, answer: string) => {
    const endpoint = response.headers.get('x-gateway-destination-endpoint-served');
    const why = response.headers.get('x-gateway-decision');
    if (endpoint === null || why === null)
      throw new Error(`"${title}" was answered, but not by a decision of the router`);
    if (answer === '') throw new Error(`"${title}" got an empty answer`);
    return { title, endpoint, why, answer, milliseconds: clock() - started };
  };
  if (!chat.stream) {
    const { data, response } = await client.chat.completions.create(request, options).withResponse();
    return facts(response, data.choices[0]?.message.content ?? '');
  }
  const { data, response } = await client.chat.completions.create({ ...request, stream: true }, options).withResponse();
  let answer = '';
  let ttftMilliseconds: number | undefined;
  for await (const chunk of data) {
    ttftMilliseconds ??= clock() - started;
    answer += chunk.choices[0]?.delta.content ?? '';
  }
  return { ...facts(response, answer), ...(ttftMilliseconds !== undefined && { ttftMilliseconds }) };
}
