import type { Draws } from "#sandbox/world/draws.ts";
import type { Machine } from "./machine.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The failures of the connection between one process and the store. */
export interface StoreFaultRates {
  /** The share of calls whose answer is lost after they took effect: a lost COMMIT answer. */
  readonly lostAnswerRate: number;
  /** The share of calls that fail without effect. */
  readonly failureRate: number;
  /** The share of calls during which the process is killed: half before and half after the effect. */
  readonly crashRate: number;
}

export const NO_STORE_FAULTS: StoreFaultRates = { lostAnswerRate: 0, failureRate: 0, crashRate: 0 };

/** The connection was lost: the outcome of the transaction is unknown. */
export class StoreConnectionLost extends Error {
  override readonly name = "StoreConnectionLost";
}

export interface StoreLineParts {
  readonly machine: Machine;
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly faultRates: () => StoreFaultRates;
  readonly onCrash: (machine: Machine, where: string) => void;
  readonly onLostAnswer: (machine: Machine, where: string) => void;
}

/** Polled frequently with nearly always empty results, so they cost no simulated time. */
const POLLS: ReadonlySet<string> = new Set(["due", "switches", "auditLedger"]);
const MOST_USUAL_MS = 6;
const SLOW_SHARE = 0.01;
const MOST_SLOW_MS = 400;

/**
 * A store over a process's connection: every call has a latency both ways, may be lost on either, and takes
 * effect even if its caller has died meanwhile.
 */
export function overLine<Part extends object>(part: Part, parts: StoreLineParts): Part {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || typeof name !== "string" || name === "activePages") return method;
      return (...args: unknown[]) =>
        callOver(parts, name, () => Promise.resolve<unknown>(Reflect.apply(method, target, args)));
    },
  });
}

function callOver(parts: StoreLineParts, name: string, effect: () => Promise<unknown>): Promise<unknown> {
  const { machine, time, draws } = parts;
  return new Promise((resolve, reject) => {
    if (machine.isDead) return;
    if (POLLS.has(name)) {
      effect().then((result) => machine.run(() => resolve(result)), reject);
      return;
    }
    const outcome = drawOutcome(parts);
    if (outcome === "crash_before") {
      parts.onCrash(machine, `before ${name}`);
      return;
    }
    const answer = (settle: () => void): void => void machine.after(latencyMs(draws), settle);
    time.schedule(latencyMs(draws), () => {
      if (outcome === "failure") {
        answer(() => reject(new StoreConnectionLost(name)));
        return;
      }
      effect().then(
        (result) => {
          if (outcome === "crash_after") parts.onCrash(machine, `after ${name}`);
          if (outcome === "lost") parts.onLostAnswer(machine, name);
          answer(() => (outcome === "lost" ? reject(new StoreConnectionLost(name)) : resolve(result)));
        },
        (error: unknown) => answer(() => reject(error)),
      );
    });
  });
}

type CallOutcome = "good" | "failure" | "lost" | "crash_before" | "crash_after";

function drawOutcome({ draws, faultRates }: StoreLineParts): CallOutcome {
  const { crashRate, failureRate, lostAnswerRate } = faultRates();
  const roll = draws.next();
  if (roll < crashRate) return roll < crashRate / 2 ? "crash_before" : "crash_after";
  if (roll < crashRate + failureRate) return "failure";
  return roll < crashRate + failureRate + lostAnswerRate ? "lost" : "good";
}

function latencyMs(draws: Draws): number {
  return draws.whole(0, draws.chance(SLOW_SHARE) ? MOST_SLOW_MS : MOST_USUAL_MS);
}
