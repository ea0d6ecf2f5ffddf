import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The product as a child process that tests can end in any way. */
export interface ProductProcess extends AsyncDisposable {
  /** Settles with the last start-up line once it is ready; rejects when the process exits earlier. */
  readonly ready: Promise<string>;
  /** Settles with how it ended. */
  readonly ended: Promise<ProcessEnd>;
  kill(signal: NodeJS.Signals): void;
  /** The process id; 0 when it could not be started. */
  readonly pid: number;
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ENTRY = join(import.meta.dirname, "..", "..", "src", "server", "main.ts");
/** The first line on standard output is the last one of the start-up. */
const ADDRESS_LINE = /^(?:Synapse|Sandbox): .*$/m;

/** @param settings all environment variables of the product; this process's own are not inherited */
export function spawnProduct(settings: Readonly<Record<string, string>>): ProductProcess {
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      PATH: process.env["PATH"] ?? "",
      LOG_LEVEL: "warn",
      SANDBOX_LISTINGS_PER_SECOND: "0",
      SANDBOX_HISTORY_DAYS: "0",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = endOf(child);
  return {
    ready: readyLine(child, ended),
    ended,
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await once(child, "close");
  return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
}

async function readyLine(child: ChildProcess, ended: Promise<ProcessEnd>): Promise<string> {
  const { promise: line, resolve } = Promise.withResolvers<string>();
  let text = "";
  child.stdout?.on("data", (part: string) => {
    text += part;
    const [address] = ADDRESS_LINE.exec(text) ?? [];
    if (address !== undefined) resolve(address);
  });
  const isReady = line.then((address) => ({ address }));
  const outcome = await Promise.race([isReady, ended]);
  if ("address" in outcome) return outcome.address;
  throw new Error(`the product ended with ${outcome.code ?? outcome.signal ?? "nothing"}: ${outcome.stderr}`);
}
