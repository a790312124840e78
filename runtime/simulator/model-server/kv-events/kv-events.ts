import { type BlockJournal, createBlockJournal } from './block-journal';
import { type KvEventsPublisher, type PublisherOptions, startKvEventsPublisher } from './publisher';

/** What a server tells of its engine's prefix cache. */
export interface KvEvents extends Omit<KvEventsPublisher, 'publish'> {
  readonly blocks: BlockJournal;
  /** Sends what has changed since the last call. */
  publish(): void;
}

/** Rejects when a port is taken. */
export async function startKvEvents(options: PublisherOptions): Promise<KvEvents> {
  const blocks = createBlockJournal();
  const { port, replayPort, publish, close } = await startKvEventsPublisher(options);
  return { port, replayPort, blocks, publish: () => publish(blocks.take()), close };
}
