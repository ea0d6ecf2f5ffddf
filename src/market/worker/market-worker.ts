/**
 * The worker thread that decodes and searches the archive, so that neither matching nor buying waits for it.
 * It caches blocks, packed and decoded, and depends on neither the store nor people.
 */
import { parentPort } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { Block } from "../archive/block.ts";
import { createRun, type Run, type WorkerReply, type WorkerRequest } from "./runs.ts";

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

/** A run in progress holds the cached pieces that it was promised: they may be evicted meanwhile. */
interface InProgress {
  readonly run: Run;
  readonly cached: ReadonlyMap<string, Uint8Array>;
}
const runs = new Map<number, InProgress>();

function answer(request: WorkerRequest): unknown {
  switch (request.kind) {
    case "begin":
      return begin(request);
    case "feed":
      return feed(request);
    case "finish": {
      const { run } = inProgress(request.run);
      runs.delete(request.run);
      return run.finish();
    }
    case "drop":
      runs.delete(request.run);
      return null;
    default:
      return request satisfies never;
  }
}

type Request<Kind extends WorkerRequest["kind"]> = Extract<WorkerRequest, { readonly kind: Kind }>;

function begin({ run, request, keys }: Request<"begin">): readonly string[] {
  const cached = new Map<string, Uint8Array>();
  for (const key of keys) {
    const bytes = cache.get(key);
    if (bytes !== undefined) cached.set(key, bytes);
  }
  runs.set(run, { run: createRun(request), cached });
  return keys.filter((key) => !cached.has(key));
}

function feed({ run: number, pieces }: Request<"feed">): readonly string[] {
  const { run, cached } = inProgress(number);
  return pieces.flatMap(({ key, data }) => {
    if (data !== null) cache.set(key, data);
    const bytes = data ?? cached.get(key);
    const block = decodedBlocks.get(key) ?? (bytes === undefined ? null : decoded(key, bytes));
    if (block === null) return [key];
    run.take(block);
    return [];
  });
}

function inProgress(number: number): InProgress {
  const found = runs.get(number);
  if (found === undefined) throw new Error("the run is over");
  return found;
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
