/**
 * The worker thread that decodes and searches the archive, so that neither matching nor buying waits for it.
 * It caches blocks, packed and decoded, and depends on neither the store nor people.
 */
import { parentPort } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { Block } from "../archive/block.ts";
import { createRun, type FeedAnswer, type Run, type WorkerReply, type WorkerRequest } from "./runs.ts";

const CACHE_BYTES = 64 * 1024 * 1024;

const cache = new LRUCache<string, Uint8Array>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
});
/** About 80 MB with all columns decoded. */
const CACHED_VERSIONS = 400_000;

/** A person who changes a filter asks about the same types again: decoding takes longer than the search. */
const decodedBlocks = new LRUCache<string, Block>({
  maxSize: CACHED_VERSIONS,
  sizeCalculation: ({ count }) => Math.max(1, count),
});
const runs = new Map<number, Run>();

function answer(request: WorkerRequest): unknown {
  switch (request.kind) {
    case "begin":
      runs.set(request.run, createRun(request.request));
      return request.keys.filter((key) => !cache.has(key));
    case "feed":
      return feed(request);
    case "finish": {
      const run = runs.get(request.run);
      runs.delete(request.run);
      if (run === undefined) throw new Error("the run is over");
      return run.finish();
    }
    case "drop":
      runs.delete(request.run);
      return null;
    default:
      return request satisfies never;
  }
}

function feed({ run: number, pieces }: Extract<WorkerRequest, { readonly kind: "feed" }>): FeedAnswer {
  const run = runs.get(number);
  if (run === undefined) throw new Error("the run is over");
  const missing: string[] = [];
  const damaged: string[] = [];
  for (const { key, data } of pieces) {
    const bytes = data ?? cache.get(key);
    if (bytes === undefined) {
      missing.push(key);
      continue;
    }
    if (data !== null) cache.set(key, data);
    const block = decodedBlocks.get(key) ?? decoded(key, bytes);
    if (block === null) damaged.push(key);
    else run.take(block);
  }
  return { missing, damaged };
}

/** Null for a block with a wrong checksum or a later format. */
function decoded(key: string, bytes: Uint8Array): Block | null {
  try {
    const block = new Block(bytes);
    decodedBlocks.set(key, block);
    return block;
  } catch {
    return null;
  }
}

/** The buffers of a rebuilt price book, which are transferred instead of copied. */
function buffersOf(of: unknown): ArrayBuffer[] {
  if (typeof of !== "object" || of === null || !("cells" in of)) return [];
  const parts = Object.values(of).filter((part) => typeof part === "object" && part !== null);
  return parts
    .flatMap((part): readonly unknown[] => Object.values(part))
    .flatMap((part) => (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer ? [part.buffer] : []));
}

parentPort?.on("message", ({ n, request }: { readonly n: number; readonly request: WorkerRequest }) => {
  const reply = (of: Omit<WorkerReply, "n">): void =>
    parentPort?.postMessage({ n, ...of }, buffersOf(of.answer));
  try {
    reply({ error: null, answer: answer(request) });
  } catch (error) {
    reply({ error: error instanceof Error ? error.name : "unknown", answer: null });
  }
});
