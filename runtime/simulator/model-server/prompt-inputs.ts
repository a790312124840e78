import { invalidRequest } from './api-error';
import { type Prompt, promptOfText, promptOfTokens } from './prompt';

/** Most inputs in one request. */
const MAX_INPUTS = 2048;

/** Reads OpenAI's four forms of input: a text, a list of texts, token ids, a list of token id lists. `field` names it in errors. */
export function readInputs(value: unknown, field: string): Prompt[] {
  if (typeof value === 'string') return [promptOfText(value)];
  if (isTokenList(value)) return [promptOfTokens(value)];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_INPUTS) {
    throw invalidRequest(`${field}: expected a string, a list of strings or a list of token ids`, field);
  }
  return value.map((item: unknown, index) => {
    if (typeof item === 'string') return promptOfText(item);
    if (isTokenList(item)) return promptOfTokens(item);
    throw invalidRequest(`${field}[${index}]: expected a string or a list of token ids`, field);
  });
}

function isTokenList(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item) && item >= 0);
}
