import type { Clock } from "#domain/clock.ts";
import type { VirtualTime } from "./virtual-time.ts";

/**
 * A process of the product, as far as the world can do things to it: end it at any instant, let it sleep, set its
 * clock wrong. Whatever reaches it passes through `run`; of one that is gone nothing ever happens again.
 */
export class Machine {
  readonly name: string;
  /** Reads this machine's own idea of the time; its timers do not care when that jumps. */
  readonly clock: Clock;
  readonly #time: VirtualTime;
  readonly #held: (() => void)[] = [];
  #skewMs = 0;
  #isDead = false;
  #isAsleep = false;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
    this.clock = {
      nowMs: () => time.nowMs() + this.#skewMs,
      schedule: (delayMs, action) => this.after(delayMs, action),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Now, or when it wakes; never once it is dead. */
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

  /** SIGSTOP: the world goes on, and all that comes meanwhile waits. */
  sleep(): void {
    this.#isAsleep = true;
  }

  wake(): void {
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    for (const action of this.#held.splice(0)) this.after(0, action);
  }

  setClock(skewMs: number): void {
    this.#skewMs = skewMs;
  }
}
