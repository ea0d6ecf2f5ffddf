import type { Clock } from "#domain/clock.ts";
import { describeError } from "#domain/error-fields.ts";
import type { Log } from "#domain/log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { Alarm } from "./alarm.ts";
import { pauseReasonOf, type MarketPauses, type Pause } from "./market-pauses.ts";
import { planNext, type Plan, type PlannerOptions } from "../schedule/planner.ts";
import type { SliceStates, SliceState } from "../schedule/slice-states.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import type { PassOutcome } from "./slice-pages.ts";
import { noteFailure, noteSuccess } from "../schedule/slice-backoff.ts";

export interface ReadLoopsParts {
  readonly book: SliceStates;
  readonly demand: SliceDemand;
  readonly pauses: MarketPauses;
  readonly alarm: Alarm;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly plannerOptions: PlannerOptions;
  readonly readSlice: (state: SliceState) => Promise<PassOutcome>;
  /** Something that the feed's state depends on may have changed. */
  readonly onProgress: () => void;
  readonly onPause: (pause: Pause) => void;
}

/** With nothing to do a loop looks again after this long, should nobody ring. */
const IDLE_MS = 60_000;

/**
 * The loops that read the market: a few of them, so that one slow answer does not hold up every slice, all under
 * one budget, all silent during a pause. After a failure a single probe goes out first.
 */
export class ReadLoops {
  readonly #parts: ReadLoopsParts;
  #loops: readonly Promise<void>[] = [];
  #isStopping = false;
  #inFlight = 0;

  constructor(parts: ReadLoopsParts) {
    this.#parts = parts;
  }

  start(parallelReads: number): void {
    this.#loops = Array.from({ length: parallelReads }, async () => await this.#loop());
  }

  /** Settles when no request is out any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#parts.alarm.ring();
    await Promise.all(this.#loops);
  }

  async #loop(): Promise<void> {
    const { alarm, clock, budget } = this.#parts;
    while (!this.#isStopping) {
      const sleepUntilMs = this.#mustWaitUntil();
      if (sleepUntilMs !== null) {
        await alarm.sleepUntil(sleepUntilMs);
        continue;
      }
      await budget.take("read");
      // Only now, with the turn in hand, is it clear what is worth reading most.
      const plan = this.#mustWaitUntil() === null ? this.#plan(clock.nowMs()) : null;
      if (plan?.kind === "read" && !this.#isStopping) await this.#read(plan.state);
    }
  }

  /** Null: something may be read now. */
  #mustWaitUntil(): number | null {
    const { clock, pauses } = this.#parts;
    const nowMs = clock.nowMs();
    const plan = this.#plan(nowMs);
    this.#parts.onProgress();
    const pause = pauses.current(nowMs);
    if (pause !== null) return pause.untilMs;
    if (pauses.isProbing && this.#inFlight > 0) return nowMs + IDLE_MS;
    if (plan.kind === "read") return null;
    return plan.kind === "wait" ? plan.untilMs : nowMs + IDLE_MS;
  }

  #plan(nowMs: number): Plan {
    const { book, demand, plannerOptions } = this.#parts;
    book.follow(demand.slices(), nowMs);
    return planNext(book.states, nowMs, plannerOptions);
  }

  async #read(state: SliceState): Promise<void> {
    const { book, pauses, alarm, clock, readSlice, onPause } = this.#parts;
    state.isBeingRead = true;
    this.#inFlight += 1;
    try {
      const outcome = await readSlice(state);
      if (outcome === "suspiciously_empty") {
        noteFailure(state, clock.nowMs());
        onPause(pauses.failed("empty", null, clock.nowMs()));
      } else if (outcome === "read") {
        noteSuccess(state, book.states, clock.nowMs());
        pauses.succeeded(clock.nowMs());
      }
    } catch (error) {
      noteFailure(state, clock.nowMs());
      this.#fail(error);
    } finally {
      this.#inFlight -= 1;
      state.isBeingRead = false;
      alarm.ring();
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
    // A bug of ours: it must be seen, and must not turn into a storm of requests.
    log.error(describeError(error), "reading a slice failed");
    onPause(pauses.failed("unreadable", null, nowMs));
  }
}
