import type { Clock } from "#domain/clock.ts";
import { type FaultKind, combineInjections, NO_INJECTION, type Injection } from "./injection.ts";
import { readFaultSpec, type FaultSpec } from "./fault-spec.ts";
import { strike, type ArmedFault, type RequestTraits } from "./strike.ts";

/** The faults that are currently armed; in memory only. */
export interface Faults {
  readonly delays: Delays;
  /** Arms one more fault. @throws InvalidFaultSpec */
  arm(body: unknown): FaultSpec;
  /** Disarms all faults and releases held requests. */
  clear(): void;
  armed(): readonly ArmedFault[];
  /** The combined injection of all faults that strike this request. */
  injectionFor(request: RequestTraits): Injection;
}

export function createFaults(parts: { kinds: readonly FaultKind[]; clock: Clock; seed: number }): Faults {
  const { clock, seed } = parts;
  const kinds = new Map(parts.kinds.map((kind) => [kind.kind, kind]));
  const delays = createDelays(clock);
  let armed: readonly ArmedFault[] = [];
  let armedCount = 0;
  return {
    delays,
    arm(body) {
      const spec = readFaultSpec(body, kinds);
      const kind = kinds.get(spec.kind);
      if (kind === undefined) return spec;
      armedCount += 1;
      const fault = {
        kind,
        spec,
        number: armedCount,
        armedAtMs: clock.nowMs(),
        seenCount: 0,
        struckCount: 0,
      };
      armed = [...armed, fault];
      return spec;
    },
    clear() {
      armed = [];
      delays.releaseAll();
    },
    armed: () => armed,
    injectionFor(request) {
      if (armed.length === 0) return NO_INJECTION;
      const outcome = strike(armed, request, { seed, nowMs: clock.nowMs() });
      armed = outcome.armed;
      return outcome.strikes.reduce(
        (injection, { fault, hit }) => combineInjections(injection, fault.inject(hit)),
        NO_INJECTION,
      );
    },
  };
}

/**
 * Cancellable delays of faults that hold requests; `releaseAll` ends them all when the faults are cleared.
 */
export interface Delays {
  /** Settles after this duration, or when all delays are released. */
  wait(durationMs: number): Promise<void>;
  releaseAll(): void;
}

export function createDelays(clock: Clock): Delays {
  const releases = new Set<() => void>();
  return {
    wait: async (durationMs) => {
      if (durationMs <= 0) return;
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          cancel();
          releases.delete(finish);
          resolve();
        };
        const cancel = clock.schedule(durationMs, finish);
        releases.add(finish);
      });
    },
    releaseAll() {
      for (const release of releases) release();
    },
  };
}
