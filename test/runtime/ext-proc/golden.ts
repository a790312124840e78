/**
 * Messages of envoy.service.ext_proc.v3 as another encoder (protobufjs over Envoy's .proto files) writes them, in hex.
 * The answers were read back by it and were equal to what their names say; protobuf leaves the order of fields open.
 */
export const GOLDEN_REQUESTS = {
  /** :path, x-name: é, a header in `value` instead of `raw_value`, one that comes twice; end of stream; metadata. */
  requestHeaders:
    '12570a530a1d0a053a706174681a142f76312f636861742f636f6d706c6574696f6e730a0c0a06782d6e616d651a02c3a90a0c0a036f6c6412' +
    '05706c61696e0a0a0a0574776963651a01310a0a0a0574776963651a0132180142180a160a08656e766f792e6c62120a0a080a016112031a01' +
    '625000',
  /** {"model":"m"} */
  requestBody: '22110a0d7b226d6f64656c223a226d227d1001',
  /** :status 200; attributes: text, the number 2, true, a struct, null; and attributes under another key. */
  responseHeaders:
    '1a120a100a0e0a073a7374617475731a033230304aa5010a1b656e766f792e66696c746572732e687474702e6578745f70726f631285010a23' +
    '0a10757073747265616d2e61646472657373120f1a0d31302e302e302e313a383030300a2b0a1e757073747265616d2e726571756573745f61' +
    '7474656d70745f636f756e7412091100000000000000400a0a0a04666c6167120220010a160a066e6573746564120c2a0a0a080a017812031a' +
    '01790a0d0a076e6f7468696e67120208004a130a056f74686572120a0a080a016112031a0162',
  /** data: x, not the end. */
  responseBody: '2a0d0a09646174613a20780a0a1000',
  requestTrailers: '320a0a080a060a01741a0176',
  responseTrailers: '3a00',
} as const;

export const GOLDEN_ANSWERS = {
  continue: {
    requestHeaders: '0a020a00',
    responseHeaders: '12020a00',
    requestBody: '1a020a00',
    responseBody: '22020a00',
    requestTrailers: '2a00',
    responseTrailers: '3200',
    unknown: '',
  },
  /** x-a: 1, x-b: é set; x-c, x-d removed; route cleared; body "new body"; envoy.lb metadata. */
  everything:
    '42430a410a08656e766f792e6c6212352a330a310a1e782d676174657761792d64657374696e6174696f6e2d656e64706f696e74120f1a0d31' +
    '302e302e302e313a383030301a390a3712270a0c0a080a03782d611a013118020a0d0a090a03782d621a02c3a918021203782d631203782d64' +
    '28011a0a0a086e657720626f6479',
  /** content-length removed, response body STREAMED. */
  streamed: '4a0c08011001180220012802300212140a121210120e636f6e74656e742d6c656e677468',
  /** 429, retry-after: 3, {"error":{}}, details "saturated". */
  immediate:
    '3a360a0308ad0312160a140a100a0b72657472792d61667465721a013318021a0c7b226572726f72223a7b7d7d2a09736174757261746564',
} as const;

/** A gRPC frame around a message. */
export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** A ProcessingRequest that carries `body` as request body. */
export function requestBodyMessage(body: Buffer): Buffer {
  const inner = Buffer.concat([Buffer.from([0x0a]), varint(body.length), body, Buffer.from([0x10, 1])]);
  return Buffer.concat([Buffer.from([0x22]), varint(inner.length), inner]);
}

/** A golden request as the frame that Envoy sends. */
export function goldenFrame(name: keyof typeof GOLDEN_REQUESTS): Buffer {
  return frame(Buffer.from(GOLDEN_REQUESTS[name], 'hex'));
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
