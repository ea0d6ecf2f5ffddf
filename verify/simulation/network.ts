import { MarketplaceError } from "#marketplace/errors.ts";
import type { Exchange, ExchangeAnswer, ExchangeRequest } from "#marketplace/exchange.ts";
import type { Answer } from "#sandbox/http/messages.ts";
import { byteLength, type ClientConnection } from "#sandbox/http/client-connection.ts";
import type { MarketplaceApi } from "#sandbox/http/marketplace-api.ts";
import type { Draws } from "#sandbox/world/draws.ts";
import type { Machine } from "./machine.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Observes every request. */
export interface NetworkWatcher {
  /** A process sends it. */
  left(machine: Machine, request: ExchangeRequest): void;
  /** The marketplace has processed it, whether or not the answer arrives. */
  done(machine: Machine, request: ExchangeRequest): void;
  /** The answer or error that the process received. */
  answered(machine: Machine, request: ExchangeRequest, outcome: string, answer: ExchangeAnswer | null): void;
}

interface NetworkParts {
  readonly machine: Machine;
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly api: MarketplaceApi;
  readonly watcher: NetworkWatcher;
  /** The share of connections that are refused. */
  readonly refusedRate: () => number;
}

const MAX_ANSWER_BYTES = 1_048_576;

/**
 * The network between one process and the marketplace: carries bytes with a latency, so that the real adapter
 * interprets them.
 */
export function createSimulatedExchange(parts: NetworkParts): Exchange {
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (parts.machine.isDead) return;
        const call = new NetworkCall(parts, request, { resolve, reject });
        call.begin();
      }),
    async [Symbol.asyncDispose]() {
      // Simulated connections need no closing.
    },
  };
}

interface Caller {
  readonly resolve: (answer: ExchangeAnswer) => void;
  readonly reject: (error: MarketplaceError) => void;
}

class NetworkCall {
  readonly #parts: NetworkParts;
  readonly #request: ExchangeRequest;
  readonly #caller: Caller;
  #isOver = false;
  #cancelDeadline: () => void = () => undefined;

  constructor(parts: NetworkParts, request: ExchangeRequest, caller: Caller) {
    this.#parts = parts;
    this.#request = request;
    this.#caller = caller;
  }

  begin(): void {
    const { machine, time, draws, watcher } = this.#parts;
    watcher.left(machine, this.#request);
    if (draws.chance(this.#parts.refusedRate())) {
      machine.after(draws.whole(0, 30), () => this.#fail("unreachable"));
      return;
    }
    this.#cancelDeadline = machine.after(this.#request.deadlineMs, () => this.#fail("timeout"));
    time.schedule(this.#latencyMs(), () => this.#arrive());
  }

  #arrive(): void {
    const { api, machine, watcher } = this.#parts;
    const { method, path, headers, body } = this.#request;
    const queryAt = path.indexOf("?");
    const incoming = {
      method,
      path: queryAt < 0 ? path : path.slice(0, queryAt),
      query: new URLSearchParams(queryAt < 0 ? "" : path.slice(queryAt + 1)),
      headers,
      body: body === undefined ? "" : JSON.stringify(body),
      peerAddress: "127.0.0.1",
    };
    void api.serve(incoming, this.#line()).then(() => watcher.done(machine, this.#request));
  }

  #line(): ClientConnection {
    const isGone = (): boolean => this.#isOver || this.#parts.machine.isDead;
    return {
      isGone,
      send: async (answer) => {
        if (isGone()) return "lost";
        this.#later(() => this.#take(answer));
        return "delivered";
      },
      sendHalf: () => undefined,
      sendBytes: () => !isGone(),
      reset: () => this.#later(() => this.#fail("broken_connection")),
    };
  }

  #later(action: () => void): void {
    this.#parts.machine.after(this.#latencyMs(), action);
  }

  #take(answer: Answer): void {
    if (byteLength(answer) > MAX_ANSWER_BYTES) {
      this.#fail("unreadable");
      return;
    }
    if (!this.#finish()) return;
    const received = {
      status: answer.status,
      retryAfter: answer.headers["retry-after"] ?? null,
      text: Buffer.from(answer.body).toString("utf8"),
    };
    const { machine, watcher } = this.#parts;
    watcher.answered(machine, this.#request, String(answer.status), received);
    this.#caller.resolve(received);
  }

  #fail(code: "unreachable" | "timeout" | "broken_connection" | "unreadable"): void {
    if (!this.#finish()) return;
    const { machine, watcher } = this.#parts;
    watcher.answered(machine, this.#request, code, null);
    this.#caller.reject(new MarketplaceError(code));
  }

  /** False when the process has received an answer or timed out already. */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#cancelDeadline();
    return true;
  }

  #latencyMs(): number {
    const { draws } = this.#parts;
    return draws.whole(1, draws.chance(0.02) ? 800 : 40);
  }
}
