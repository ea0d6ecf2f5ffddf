import type { Clock } from "#domain/clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

/**
 * A simulated process that can be killed or suspended at any instant, and whose clock can be wrong.
 * Everything that reaches it passes through `run`; a dead process never runs anything again.
 */
export class Machine {
  readonly name: string;
  /** This machine's clock, possibly skewed; timers are not affected by changes of the skew. */
  readonly clock: Clock;
  readonly #time: VirtualTime;
  readonly #held: (() => void)[] = [];
  #skewMs = 0;
  #isDead = false;
  #isAsleep = false;
  #wokeAtMs = -Infinity;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
    this.clock = {
      nowMs: () => time.nowMs() + this.#skewMs,
      monotonicMs: () => time.monotonicMs(),
      schedule: (delayMs, action) => this.after(delayMs, action),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** When its last suspension ended, in world time. */
  get wokeAtMs(): number {
    return this.#wokeAtMs;
  }

  /** Runs the action now, or after a suspended machine wakes; never on a dead one. */
  run(action: () => void): void {
    if (this.#isDead) return;
    if (this.#isAsleep) this.#held.push(action);
    else action();
  }

  after(delayMs: number, action: () => void): () => void {
    return this.#time.schedule(delayMs, () => this.run(action));
  }

  /** kill -9. */
  kill(): void {
    this.#isDead = true;
    this.#held.length = 0;
  }

  /** SIGSTOP: actions that arrive meanwhile are queued. */
  sleep(): void {
    this.#isAsleep = true;
  }

  wake(): void {
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    this.#wokeAtMs = this.#time.nowMs();
    for (const action of this.#held.splice(0)) this.after(0, action);
  }

  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
  }
}
