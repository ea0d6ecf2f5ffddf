/** Runs queries on the stored archive in the worker thread, one at a time. */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import PQueue from "p-queue";
import type { Log } from "#domain/log.ts";
import type { ArchiveHead, ArchiveStore } from "#store/market-store.ts";
import { dayNumber, dayOfNumber } from "../paris-days.ts";
import { MarketThread } from "../worker/market-thread.ts";
import type { Piece, RunKind, Runs } from "../worker/runs.ts";

export interface ArchiveRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: any. */
  readonly leafIds: readonly number[] | null;
}

/** The whole archive. */
export const EVER: ArchiveRange = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, leafIds: null };
/** Pieces per part, a quarter of a million versions: other runs come between two parts. */
const PIECES_PER_PART = 64;
/** Pieces and bytes per message to the thread; a larger piece is sent alone. */
const PIECES_AT_ONCE = 8;
const BYTES_AT_ONCE = 1_000_000;
/** Default for the newest versions that a run reads. */
const MAX_VERSIONS = 3_000_000;
/** Attempts of a run whose archive changes meanwhile: packing happens only every few minutes. */
const MAX_TRIES = 4;

/** The answer of a run, and how far back it looked. */
export interface RunResult<Answer> {
  readonly answer: Answer;
  /** The first day that was read completely; null: nothing older was left out. */
  readonly fullFromDay: string | null;
}

interface ReaderDeps {
  readonly archive: Pick<ArchiveStore, "heads" | "tailData" | "blockData">;
  readonly log: Log;
}

class ArchiveChangesError extends Error {
  override readonly name = "ArchiveChangesError";

  constructor() {
    super("the archive changes too often to be read");
  }
}

export class ArchiveReader {
  readonly #deps: ReaderDeps;
  readonly #thread = new MarketThread();
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #reported = new Set<string>();

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** Keys of the pieces that are stored and could not be decoded: "b12", or "t7" of the tail. */
  async damaged(): Promise<readonly string[]> {
    if (this.#reported.size === 0) return [];
    // A piece that was reported may have left, or be packed under another key.
    const heads = await this.#deps.archive.heads(EVER);
    return heads.filter((head) => this.isDamaged(head)).map(keyOf);
  }

  /** Whether a run could not decode the piece. */
  isDamaged(head: ArchiveHead): boolean {
    return this.#reported.has(keyOf(head));
  }

  /** Call it after the archive was erased. */
  forgetDamaged(): void {
    this.#reported.clear();
  }

  async stop(): Promise<void> {
    this.#queue.clear();
    await this.#thread.stop();
  }

  /**
   * @param signal aborts the run: it rejects with the signal's reason
   * @param maxVersions bound of the newest versions that are read; default: three million
   */
  async run<Kind extends RunKind>(
    kind: Kind,
    input: Runs[Kind]["input"],
    of: { readonly range: ArchiveRange; readonly signal?: AbortSignal; readonly maxVersions?: number },
  ): Promise<RunResult<Runs[Kind]["answer"]>> {
    const { range, signal, maxVersions = MAX_VERSIONS } = of;
    const look = async (): Promise<RunResult<Runs[Kind]["answer"]>> => {
      for (let tries = 1; ; tries += 1) {
        const heads = newestOf(await this.#deps.archive.heads(range), maxVersions);
        const answer = await this.#tryRun(kind, input, { heads: heads.taken, signal });
        if (answer !== null) return { answer: answer.value, fullFromDay: heads.fullFromDay };
        if (tries === MAX_TRIES) throw new ArchiveChangesError();
      }
    };
    // With the signal, an aborted run leaves the queue at once.
    return await this.#queue.add(look, signal === undefined ? {} : { signal });
  }

  /** One run for each part of the whole archive. */
  async runInParts<Kind extends RunKind>(
    kind: Kind,
    input: Runs[Kind]["input"],
  ): Promise<readonly Runs[Kind]["answer"][]> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const heads = await this.#deps.archive.heads(EVER);
      const answers: Runs[Kind]["answer"][] = [];
      let isWhole = true;
      for (let start = 0; isWhole && start < heads.length; start += PIECES_PER_PART) {
        const answer = await this.runOver(kind, input, heads.slice(start, start + PIECES_PER_PART));
        if (answer === null) isWhole = false;
        else answers.push(answer);
      }
      if (isWhole) return answers;
    }
    throw new ArchiveChangesError();
  }

  /** Runs over the given pieces. @returns null: one of them is gone */
  async runOver<Kind extends RunKind>(
    kind: Kind,
    input: Runs[Kind]["input"],
    heads: readonly ArchiveHead[],
  ): Promise<Runs[Kind]["answer"] | null> {
    const answer = await this.#queue.add(async () => await this.#tryRun(kind, input, { heads }));
    return answer === null ? null : answer.value;
  }

  async #tryRun<Kind extends RunKind>(
    kind: Kind,
    input: Runs[Kind]["input"],
    { heads, signal }: { readonly heads: readonly ArchiveHead[]; readonly signal?: AbortSignal | undefined },
  ): Promise<{ readonly value: Runs[Kind]["answer"] } | null> {
    const byKey = new Map(heads.map((head) => [keyOf(head), head]));
    const { run, wanted } = await this.#thread.begin(kind, input, [...byKey.keys()]);
    let isOver = false;
    try {
      const isWanted = new Set(wanted);
      for (const keys of messagesOf(heads)) {
        signal?.throwIfAborted();
        const sent = await this.#piecesOf(
          keys.filter((key) => isWanted.has(key)),
          byKey,
        );
        if (sent === null) return null;
        const cached = keys.filter((key) => !isWanted.has(key)).map((key) => ({ key, data: null }));
        this.#report(await this.#thread.feed(run, [...sent, ...cached]));
        await yieldToEventLoop();
      }
      const value = await this.#thread.finish(run, kind);
      isOver = true;
      return { value };
    } finally {
      if (!isOver) await this.#thread.drop(run).catch(() => undefined);
    }
  }

  /** Null: a piece is gone. */
  async #piecesOf(
    keys: readonly string[],
    byKey: ReadonlyMap<string, ArchiveHead>,
  ): Promise<readonly Piece[] | null> {
    const { archive } = this.#deps;
    const heads = keys.flatMap((key) => byKey.get(key) ?? []);
    const tail = heads.filter(({ isTail }) => isTail).map(({ id }) => id);
    const blocks = heads.filter(({ isTail }) => !isTail).map(({ id }) => id);
    const [ofTail, ofBlocks] = await Promise.all([
      tail.length === 0 ? [] : archive.tailData(tail),
      blocks.length === 0 ? [] : archive.blockData(blocks),
    ]);
    if (ofTail.length + ofBlocks.length < keys.length) return null;
    return [
      // Copied: a driver's buffer may be a view of a much larger one, which would be sent as a whole.
      ...ofTail.map(({ id, data }) => ({ key: keyOf({ id, isTail: true }), data: new Uint8Array(data) })),
      ...ofBlocks.map(({ id, data }) => ({ key: keyOf({ id, isTail: false }), data: new Uint8Array(data) })),
    ];
  }

  /** Logs each damaged block once. */
  #report(damaged: readonly string[]): void {
    for (const block of damaged) {
      if (this.#reported.has(block)) continue;
      this.#reported.add(block);
      this.#deps.log.error({ block }, "a block of the archive is damaged and is left out");
    }
  }
}

function keyOf({ id, isTail }: Pick<ArchiveHead, "id" | "isTail">): string {
  return `${isTail ? "t" : "b"}${id}`;
}

/** The keys of the pieces, by message. */
function* messagesOf(heads: readonly ArchiveHead[]): Iterable<readonly string[]> {
  let [keys, bytes]: [string[], number] = [[], 0];
  for (const head of heads) {
    if (keys.length === PIECES_AT_ONCE || (keys.length > 0 && bytes + head.bytes > BYTES_AT_ONCE)) {
      yield keys;
      [keys, bytes] = [[], 0];
    }
    keys.push(keyOf(head));
    bytes += head.bytes;
  }
  if (keys.length > 0) yield keys;
}

/** The newest pieces, up to the bound. */
function newestOf(
  heads: readonly ArchiveHead[],
  maxVersions: number,
): { readonly taken: readonly ArchiveHead[]; readonly fullFromDay: string | null } {
  const inOrder = heads.toSorted(
    (one, other) =>
      Number(other.isTail) - Number(one.isTail) ||
      dayNumber(other.day) - dayNumber(one.day) ||
      other.id - one.id,
  );
  let versions = 0;
  const taken: ArchiveHead[] = [];
  for (const head of inOrder) {
    versions += head.versions;
    if (versions > maxVersions) return { taken, fullFromDay: dayOfNumber(dayNumber(head.day) + 1) };
    taken.push(head);
  }
  return { taken, fullFromDay: null };
}
