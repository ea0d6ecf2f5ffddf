import { readFile } from "node:fs/promises";
import { pause } from "../figures.ts";

/** What a process cost between two moments; null where the system does not tell (only Linux does). */
export interface ProcessCost {
  readonly peakMb: number;
  /** Of one core, 0–1 and above. */
  readonly coreShare: number;
}

/** The kernel's unit of processor time on every common system. */
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 500;

export function watchCost(pid: number): { end(): Promise<ProcessCost | null> } {
  const over = new AbortController();
  const watching = sample();
  async function sample(): Promise<ProcessCost | null> {
    const [beganAtMs, beganTicks] = [performance.now(), await processorTicks(pid)];
    let peakMb = 0;
    while (!over.signal.aborted) {
      peakMb = Math.max(peakMb, await residentMb(pid));
      await pause(SAMPLE_MS);
    }
    const endTicks = await processorTicks(pid);
    if (beganTicks === null || endTicks === null) return null;
    const seconds = (performance.now() - beganAtMs) / 1_000;
    return { peakMb, coreShare: (endTicks - beganTicks) / TICKS_PER_SECOND / seconds };
  }
  return {
    end() {
      over.abort();
      return watching;
    },
  };
}

/** 0 where the system does not tell. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
}

async function processorTicks(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in brackets may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.length < 13 ? null : Number(fields[11]) + Number(fields[12]);
}
