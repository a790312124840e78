/** What a peer sent is no message of this protocol. The words are ours and hold nothing of the peer's. */
export class ProtocolFault extends Error {}
