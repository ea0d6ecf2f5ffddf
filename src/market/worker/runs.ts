/** The queries that the worker thread runs, and its messages. A run takes blocks, then gives an answer. */
import type { MarketPrices } from "#domain/market/standing.ts";
import type { Replay } from "#domain/market/replay.ts";
import type { NewArchiveBlock } from "#store/market-store.ts";
import type { Block } from "../archive/block.ts";
import { type PackInput, PackRun } from "../archive/pack.ts";
import {
  type ArchiveContent,
  ContentRun,
  type CountInput,
  CountRun,
  type MarketCount,
  type MarketSurvey,
  type PopularPair,
  PopularRun,
  type PricesInput,
  PricesRun,
  type SurveyInput,
  SurveyRun,
} from "../backtest/market-views.ts";
import { type ReplayInput, ReplayRun } from "../backtest/replay-run.ts";
import {
  type LeavingPrices,
  LeavingRun,
  type RebuildInput,
  type RebuiltState,
  RebuildRun,
} from "../prices/rebuild.ts";

/** Input and answer of each kind of run. */
export interface Runs {
  readonly replay: { readonly input: ReplayInput; readonly answer: Replay };
  readonly count: { readonly input: CountInput; readonly answer: MarketCount };
  readonly survey: { readonly input: SurveyInput; readonly answer: MarketSurvey };
  readonly prices: { readonly input: PricesInput; readonly answer: MarketPrices };
  readonly popular: { readonly input: { readonly sinceMs: number }; readonly answer: readonly PopularPair[] };
  readonly rebuild: { readonly input: RebuildInput; readonly answer: RebuiltState };
  readonly leaving: { readonly input: null; readonly answer: LeavingPrices };
  readonly pack: { readonly input: PackInput; readonly answer: readonly NewArchiveBlock[] };
  readonly content: { readonly input: null; readonly answer: ArchiveContent };
}

export type RunKind = keyof Runs;
export type RunRequest = {
  readonly [Kind in RunKind]: { readonly kind: Kind; readonly input: Runs[Kind]["input"] };
}[RunKind];

export interface Run {
  take(block: Block): void;
  finish(): Runs[RunKind]["answer"];
}

export function createRun(request: RunRequest): Run {
  switch (request.kind) {
    case "replay":
      return new ReplayRun(request.input);
    case "count":
      return new CountRun(request.input);
    case "survey":
      return new SurveyRun(request.input);
    case "prices":
      return new PricesRun(request.input);
    case "popular":
      return new PopularRun(request.input);
    case "rebuild":
      return new RebuildRun(request.input);
    case "leaving":
      return new LeavingRun();
    case "pack":
      return new PackRun(request.input);
    case "content":
      return new ContentRun();
    default:
      return request satisfies never;
  }
}

/** A stored piece of the archive; `data` is null for one that the worker did not ask for. */
export interface Piece {
  readonly key: string;
  readonly data: Uint8Array | null;
}

export type WorkerRequest =
  /** Answered with the keys of the pieces that must be sent. */
  | {
      readonly kind: "begin";
      readonly run: number;
      readonly request: RunRequest;
      readonly keys: readonly string[];
    }
  /** Answered with the keys of damaged pieces. */
  | { readonly kind: "feed"; readonly run: number; readonly pieces: readonly Piece[] }
  | { readonly kind: "finish"; readonly run: number }
  | { readonly kind: "drop"; readonly run: number };

export interface WorkerReply {
  readonly n: number;
  /** Null: it succeeded. */
  readonly error: string | null;
  readonly answer: unknown;
}
