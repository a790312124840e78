import {
  type Attributes,
  BODY_MODES,
  type Body,
  type BodyModes,
  type HeaderMap,
  type Metadata,
  type Peer,
} from './processor';
import { readStruct, readValue, readValueOrList, skipField } from './read-struct';
import { WireReader } from './wire-reader';

/** One `envoy.service.ext_proc.v3.ProcessingRequest`, as far as a processor needs it. */
export type ProcessingRequest =
  | { readonly kind: 'requestHeaders'; readonly headers: HeaderMap; readonly endOfStream: boolean; readonly peer: Peer }
  | { readonly kind: 'requestBody'; readonly body: Body; readonly endOfStream: boolean }
  | {
      readonly kind: 'responseHeaders';
      readonly headers: HeaderMap;
      readonly attributes: Attributes;
      readonly metadata: Metadata;
    }
  | { readonly kind: 'responseBody'; readonly body: Body; readonly endOfStream: boolean }
  | { readonly kind: 'requestTrailers' | 'responseTrailers' }
  /** Of a kind that this version does not know. */
  | { readonly kind: 'unknown' };

export type MessageKind = ProcessingRequest['kind'];

/** The namespace under which Envoy sends the attributes that the filter asks for. */
const ATTRIBUTES_KEY = 'envoy.filters.http.ext_proc';

const NONE: ReadonlyMap<string, string> = new Map();
const NO_METADATA: Metadata = new Map();
/** Of most peers, which say nothing. */
const NO_PEER: Peer = { metadata: NO_METADATA, bodyModes: undefined };
const EMPTY_BODY: Body = { length: 0, chunks: [] };

/** Field numbers of ProcessingRequest with wire type 2. */
const FIELD = {
  requestHeaders: 2 * 8 + 2,
  responseHeaders: 3 * 8 + 2,
  requestBody: 4 * 8 + 2,
  responseBody: 5 * 8 + 2,
  requestTrailers: 6 * 8 + 2,
  responseTrailers: 7 * 8 + 2,
  metadataContext: 8 * 8 + 2,
  attributes: 9 * 8 + 2,
  protocolConfig: 11 * 8 + 2,
} as const;

/**
 * Decodes one message; `undefined` when it is malformed. Never throws. Of several messages in the oneof the last counts,
 * as protobuf has it. The body's chunks are views of `message`. `namespaces`: of the dynamic metadata that is read.
 */
export function decodeRequest(
  message: readonly Buffer[],
  namespaces?: ReadonlySet<string>,
): ProcessingRequest | undefined {
  const reader = new WireReader(message);
  let kind: MessageKind = 'unknown';
  let headers: HeaderMap = NONE;
  let attributes: Attributes = NONE;
  let metadata = NO_METADATA;
  let bodyModes: BodyModes | undefined;
  let body = EMPTY_BODY;
  let endOfStream = false;
  while (reader.more()) {
    const tag = reader.varint();
    switch (tag) {
      case FIELD.requestHeaders:
      case FIELD.responseHeaders: {
        kind = tag === FIELD.requestHeaders ? 'requestHeaders' : 'responseHeaders';
        const part = readHttpHeaders(reader);
        headers = part.headers;
        endOfStream = part.endOfStream;
        break;
      }
      case FIELD.requestBody:
      case FIELD.responseBody: {
        kind = tag === FIELD.requestBody ? 'requestBody' : 'responseBody';
        const part = readHttpBody(reader);
        body = part.body;
        endOfStream = part.endOfStream;
        break;
      }
      case FIELD.requestTrailers:
      case FIELD.responseTrailers:
        kind = tag === FIELD.requestTrailers ? 'requestTrailers' : 'responseTrailers';
        reader.skip(2);
        break;
      case FIELD.attributes:
        attributes = readAttributes(reader, attributes);
        break;
      case FIELD.metadataContext:
        if (namespaces === undefined) reader.skip(2);
        else metadata = readMetadata(reader, namespaces);
        break;
      case FIELD.protocolConfig:
        bodyModes = readBodyModes(reader);
        break;
      default:
        skipField(reader, tag);
    }
  }
  if (reader.failed) return undefined;
  switch (kind) {
    case 'requestHeaders':
      return { kind, headers, endOfStream, peer: peerOf(metadata, bodyModes) };
    case 'responseHeaders':
      return { kind, headers, attributes, metadata };
    case 'requestBody':
      return { kind, body, endOfStream };
    case 'responseBody':
      return { kind, body, endOfStream };
    default:
      return { kind };
  }
}

function peerOf(metadata: Metadata, bodyModes: BodyModes | undefined): Peer {
  return metadata === NO_METADATA && bodyModes === undefined ? NO_PEER : { metadata, bodyModes };
}

/** HttpHeaders: headers = 1, end_of_stream = 3. */
function readHttpHeaders(reader: WireReader): { headers: HeaderMap; endOfStream: boolean } {
  const headers = new Map<string, string>();
  let endOfStream = false;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 10) readHeaderMap(reader, headers);
    else if (tag === 24) endOfStream = reader.varint() !== 0;
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return { headers, endOfStream };
}

/** HeaderMap: headers = 1, each a HeaderValue: key = 1, value = 2, raw_value = 3 (the one that Envoy fills). */
function readHeaderMap(reader: WireReader, headers: Map<string, string>): void {
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag !== 10) {
      skipField(reader, tag);
      continue;
    }
    let key = '';
    let value = '';
    const map = reader.enter();
    while (reader.more()) {
      const part = reader.varint();
      if (part === 10) key = reader.text();
      else if (part === 26 || part === 18) value = reader.text() || value;
      else skipField(reader, part);
    }
    reader.leave(map);
    headers.set(key, value);
  }
  reader.leave(outer);
}

/** HttpBody: body = 1, end_of_stream = 2. */
function readHttpBody(reader: WireReader): { body: Body; endOfStream: boolean } {
  let body = EMPTY_BODY;
  let endOfStream = false;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 10) {
      const chunks = reader.bytes();
      body = { length: chunks.reduce((sum, chunk) => sum + chunk.length, 0), chunks };
    } else if (tag === 16) endOfStream = reader.varint() !== 0;
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return { body, endOfStream };
}

/** An entry of map<string, Struct>: key = 1, value = 2; entries under other keys leave `known` as it is. */
function readAttributes(reader: WireReader, known: Attributes): Attributes {
  let key = '';
  let fields = NONE;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 10) key = reader.text();
    else if (tag === 18) fields = readStruct(reader, readValue);
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return key === ATTRIBUTES_KEY ? fields : known;
}

/** ProtocolConfiguration: request_body_mode = 1, response_body_mode = 2. Modes that this version does not know are NONE. */
function readBodyModes(reader: WireReader): BodyModes {
  let request = 0;
  let response = 0;
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag === 8) request = reader.varint();
    else if (tag === 16) response = reader.varint();
    else skipField(reader, tag);
  }
  reader.leave(outer);
  return { request: BODY_MODES[request] ?? 'NONE', response: BODY_MODES[response] ?? 'NONE' };
}

/** Metadata: filter_metadata = 1, entries of map<string, Struct>: key = 1, value = 2. */
function readMetadata(reader: WireReader, namespaces: ReadonlySet<string>): Metadata {
  const metadata = new Map<string, ReadonlyMap<string, string | readonly string[]>>();
  const outer = reader.enter();
  while (reader.more()) {
    const tag = reader.varint();
    if (tag !== 10) {
      skipField(reader, tag);
      continue;
    }
    let namespace: string | undefined;
    let fields: ReadonlyMap<string, string | readonly string[]> = NONE;
    const entry = reader.enter();
    while (reader.more()) {
      const part = reader.varint();
      if (part === 10) namespace = reader.text();
      else if (part === 18 && (namespace === undefined || namespaces.has(namespace)))
        fields = readStruct(reader, readValueOrList);
      else skipField(reader, part);
    }
    reader.leave(entry);
    if (namespace !== undefined && namespaces.has(namespace)) metadata.set(namespace, fields);
  }
  reader.leave(outer);
  return metadata;
}
