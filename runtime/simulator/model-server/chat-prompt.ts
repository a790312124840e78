import { invalidRequest } from './api-error';

/**
 * The text a chat template would make of messages. A longer conversation with the same start has the same first
 * bytes, so that its prefix is found in the cache. Parts that are not text enter as their JSON.
 */
export function chatPromptText(messages: unknown, preamble: readonly unknown[] = []): string {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalidRequest('messages: expected a list of at least one message', 'messages');
  }
  const turns = messages.map((message: unknown, index) => {
    if (typeof message !== 'object' || message === null || !('role' in message) || typeof message.role !== 'string') {
      throw invalidRequest(`messages[${index}]: expected an object with a role`, 'messages');
    }
    const { role, content, ...rest } = message as { role: string; content?: unknown };
    const extra = Object.keys(rest).length > 0 ? JSON.stringify(rest) : '';
    return `<|${role}|>\n${contentText(content)}${extra}\n`;
  });
  const head = preamble.filter((part) => part !== undefined && part !== null).map((part) => `${contentText(part)}\n`);
  return `${head.join('')}${turns.join('')}<|assistant|>\n`;
}

/** Text of a message's content: a string, or a list of parts. */
export function contentText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(partText).join('');
  return JSON.stringify(content);
}

function partText(part: unknown): string {
  if (typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string') return part.text;
  return JSON.stringify(part);
}
