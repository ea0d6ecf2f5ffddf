import type { Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import { type Plan, type PlannerOptions, planNext } from "../schedule/planner.ts";
import { recordFailure, recordSuccess } from "../schedule/slice-backoff.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import type { SliceState, SliceStates } from "../schedule/slice-states.ts";
import { type MarketPauses, type Pause, pauseReasonOf } from "./market-pauses.ts";
import { MAX_PAGES, PAGE_SIZE, type PassOutcome } from "./slice-pages.ts";

export interface ReadLoopsParts {
  readonly slices: SliceStates;
  readonly demand: SliceDemand;
  readonly pauses: MarketPauses;
  /** Whether nothing may be read because the store is away. */
  readonly isHeldUp: () => boolean;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly plannerOptions: PlannerOptions;
  readonly readSlice: (state: SliceState) => Promise<PassOutcome>;
  /** Called when the feed's state may have changed. */
  readonly onProgress: () => void;
  readonly onPause: (pause: Pause) => void;
}

/** An idle loop checks again after this time even if it is not woken. */
const IDLE_MS = 60_000;
/** How often it is checked whether the store is back. */
const HELD_UP_MS = 500;

/**
 * The concurrent loops that read the market: several, so that one slow answer does not delay every slice.
 * They share one budget and stop during a pause. After a failure a single probe is sent first.
 */
export class ReadLoops {
  readonly #parts: ReadLoopsParts;
  readonly #alarm: Alarm;
  #loops: readonly Promise<void>[] = [];
  #isStopping = false;
  #inFlight = 0;

  constructor(parts: ReadLoopsParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
  }

  /** Wakes sleeping loops: the demand or the time has changed. */
  wake(): void {
    this.#alarm.ring();
  }

  start(parallelReads: number): void {
    this.#loops = Array.from({ length: parallelReads }, async () => await this.#loop());
  }

  /** Settles when no request is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#alarm.ring();
    await Promise.all(this.#loops);
  }

  async #loop(): Promise<void> {
    const { clock, budget } = this.#parts;
    while (!this.#isStopping) {
      const sleepUntilMs = this.#mustWaitUntil();
      if (sleepUntilMs !== null) {
        await this.#alarm.sleepUntil(sleepUntilMs);
        continue;
      }
      await budget.take("read");
      // Planned only once the budget is granted, because priorities may have changed while waiting.
      const plan = this.#mustWaitUntil() === null ? this.#plan(clock.nowMs()) : null;
      if (plan?.kind === "read" && !this.#isStopping) await this.#read(plan.state);
    }
  }

  /** Null: something may be read now. */
  #mustWaitUntil(): number | null {
    const { clock, pauses, isHeldUp } = this.#parts;
    const nowMs = clock.nowMs();
    const plan = this.#plan(nowMs);
    this.#parts.onProgress();
    const pause = pauses.current(nowMs);
    if (pause !== null) return pause.untilMs;
    if (isHeldUp()) return nowMs + HELD_UP_MS;
    if (pauses.isProbing && this.#inFlight > 0) return nowMs + IDLE_MS;
    if (plan.kind === "read") return null;
    return plan.kind === "wait" ? plan.untilMs : nowMs + IDLE_MS;
  }

  #plan(nowMs: number): Plan {
    const { slices, demand, plannerOptions } = this.#parts;
    slices.update(demand.slices(), nowMs);
    return planNext(slices.states, nowMs, plannerOptions);
  }

  async #read(state: SliceState): Promise<void> {
    const { slices, pauses, clock, readSlice, onPause } = this.#parts;
    state.isBeingRead = true;
    this.#inFlight += 1;
    try {
      const outcome = await readSlice(state);
      if (outcome === "suspiciously_empty") {
        recordFailure(state, clock.nowMs());
        onPause(pauses.failed("empty", null, clock.nowMs()));
      } else if (outcome === "read") {
        recordSuccess(state, slices.states, clock.nowMs());
        pauses.succeeded(clock.nowMs());
      }
    } catch (error) {
      recordFailure(state, clock.nowMs());
      this.#fail(error);
    } finally {
      this.#inFlight -= 1;
      state.isBeingRead = false;
      this.#alarm.ring();
    }
  }

  #fail(error: unknown): void {
    const { pauses, log, clock, onPause } = this.#parts;
    const nowMs = clock.nowMs();
    if (error instanceof MarketplaceError) {
      const pause = pauses.failed(pauseReasonOf(error.code), error.retryAfterMs, nowMs);
      log.warn(
        { code: error.code, status: error.status, pauseMs: Math.ceil(pause.untilMs - nowMs) },
        "the market could not be read",
      );
      onPause(pause);
      return;
    }
    // A bug: it must be logged, and must not cause a request storm.
    log.error(describeError(error), "reading a slice failed");
    onPause(pauses.failed("unreadable", null, nowMs));
  }
}

/** Lets loops sleep until a given time or until they are woken. */
class Alarm {
  readonly #clock: Clock;
  readonly #sleepers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes all sleepers. */
  ring(): void {
    for (const wake of this.#sleepers) wake();
  }

  sleepUntil(untilMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      const cancel = this.#clock.schedule(Math.max(0, Math.ceil(untilMs - this.#clock.nowMs())), wake);
      this.#sleepers.add(wake);
    });
  }
}

/** Enough that one slow answer does not delay all slices, and that 250 ms answers use the whole budget. */
export function parallelReads(readsPerSecond: number): number {
  return Math.min(8, Math.max(2, Math.ceil(readsPerSecond / 4)));
}

const MIN_READ_INTERVAL_MS = 150;
const MAX_STALENESS_MS = 60_000;

/** @param readsPerSecond rate of the budget's read lane */
export function plannerOptionsFor(readsPerSecond: number): PlannerOptions {
  return {
    readsPerSecond,
    minIntervalMs: MIN_READ_INTERVAL_MS,
    maxStalenessMs: MAX_STALENESS_MS,
    pageSize: PAGE_SIZE,
    maxPages: MAX_PAGES,
  };
}
