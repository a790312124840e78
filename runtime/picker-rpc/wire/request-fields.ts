import type { PickRequest } from '../../endpoint-picker/endpoint-picker';
import type { Fields } from './fields';
import { packHashes, unpackHashes } from './hashes';

/** Longer names are cut. A model may be a client's word where no model is needed; nothing is looked up by it. */
export const MAX_NAME_LENGTH = 1024;
/** Of one pick: the choice and its fallbacks. */
export const MAX_ENDPOINTS = 16;
/** More than the router makes for a prompt. */
const MAX_HASHES = 4096;
const MAX_SUBSET = 4096;

/** What a pick is made by: the request's facts, never its body. */
export function encodeRequest(request: PickRequest): readonly unknown[] {
  const { adapter, maxOutputTokens, priority, tenant, bodyBytes, heldMs, subset, answers } = request;
  return [
    request.scheduler,
    request.model.slice(0, MAX_NAME_LENGTH),
    adapter ?? null,
    Math.round(request.promptBytes),
    maxOutputTokens === undefined ? null : whole(maxOutputTokens),
    packHashes(request.prefixHashes),
    request.explain,
    priority ?? null,
    tenant?.slice(0, MAX_NAME_LENGTH) ?? null,
    bodyBytes === undefined ? null : whole(bodyBytes),
    heldMs === undefined ? null : whole(heldMs),
    subset?.slice(0, MAX_SUBSET) ?? null,
    answers === undefined ? null : whole(answers),
  ];
}

export function decodeRequest(fields: Fields): PickRequest {
  const scheduler = fields.text(MAX_NAME_LENGTH);
  const model = fields.text(MAX_NAME_LENGTH);
  const adapter = fields.optional((one) => one.text(MAX_NAME_LENGTH));
  const promptBytes = fields.count();
  const maxOutputTokens = fields.optional((one) => one.count());
  const prefixHashes = unpackHashes(fields.bytes(), MAX_HASHES);
  const explain = fields.flag();
  const priority = fields.optional((one) => one.integer());
  const tenant = fields.optional((one) => one.text(MAX_NAME_LENGTH));
  const bodyBytes = fields.optional((one) => one.count());
  const heldMs = fields.optional((one) => one.count());
  const subset = fields.optional((one) => one.list(MAX_SUBSET, (item) => item.text(MAX_NAME_LENGTH)));
  const answers = fields.optional((one) => one.count());
  return {
    scheduler,
    model,
    promptBytes,
    prefixHashes,
    explain,
    ...(adapter !== undefined && { adapter }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(priority !== undefined && { priority }),
    ...(tenant !== undefined && { tenant }),
    ...(bodyBytes !== undefined && { bodyBytes }),
    ...(heldMs !== undefined && { heldMs }),
    ...(subset !== undefined && { subset }),
    ...(answers !== undefined && { answers }),
  };
}

/** A client's number may be beyond what can be told. */
function whole(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)));
}
