import { z } from "zod";
import type { ExchangeRequest } from "#marketplace/exchange.ts";
import type { CommitWatch } from "./commit-watch.ts";
import type { Machine } from "./machine.ts";
import type { SellerWatch } from "./seller-watch.ts";
import type { NetworkWatcher } from "./network.ts";
import type { Trace } from "./trace.ts";
import type { Violations } from "./violations.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Checks every request when it is sent, before the marketplace processes it. */
export interface NetworkWatch extends NetworkWatcher {
  /** Checkouts for which the product sent a payment request: it is responsible for their orders. */
  readonly paidCheckouts: ReadonlySet<number>;
  /** A payment request of this process is in flight. */
  isPaying(machine: Machine): boolean;
  /** The process was killed, and its connections are closed. */
  died(machine: Machine): void;
}

interface NetworkWatchParts {
  readonly trace: Trace;
  readonly violations: Violations;
  /** World time, without the skew of machines. */
  readonly time: Pick<VirtualTime, "nowMs">;
  readonly commitWatch: Pick<CommitWatch, "payingByCheckout" | "committedTokens">;
  readonly sellerWatch: Pick<SellerWatch, "left" | "answered">;
}

const PAY_PATH = /^\/api\/v2\/purchases\/(\d+)\/checkout\/payment$/;
/** A request sent later than this after its commit could be sent after the answer to a stop (contract §5). */
const SEND_WITHIN_MS = 1_000;
const REFRESH_PATH = "/web/api/auth/refresh";

export function createNetworkWatch(parts: NetworkWatchParts): NetworkWatch {
  const { trace, violations } = parts;
  const paidCheckouts = new Set<number>();
  const waits = createWaitWatch(parts);
  const payingRequests = new Map<ExchangeRequest, Machine>();
  const refreshing = new Map<string, Map<ExchangeRequest, Machine>>();

  const judgePayment = (machine: Machine, checkoutId: number): void => {
    paidCheckouts.add(checkoutId);
    const commit = parts.commitWatch.payingByCheckout.get(checkoutId);
    if (commit === undefined) {
      violations.report("I7", `${machine.name} pays checkout ${checkoutId} without a committed attempt`);
      return;
    }
    const which = `${commit.purchaseId} n=${commit.n}`;
    if (commit.isSent) violations.report("I8", `a second paying request of ${which}`);
    if (commit.isOver) violations.report("I8", `the paying request of ${which} left after its end`);
    if (commit.isTakenOver) trace.count("left after a takeover");
    if (machine.clock.nowMs() - commit.committedAtMs > SEND_WITHIN_MS)
      violations.report("I8", `the paying request of ${which} left long after its commit`);
    commit.isSent = true;
  };

  const judgeRefresh = (machine: Machine, request: ExchangeRequest): void => {
    const underWay = refreshing.get(tokenOf(request)) ?? new Map<ExchangeRequest, Machine>();
    if (underWay.size > 0)
      violations.report("I15", `${machine.name} refreshes an account while that is under way already`);
    refreshing.set(tokenOf(request), underWay.set(request, machine));
  };

  return {
    paidCheckouts,
    isPaying: (machine) => payingRequests.values().some((payer) => payer === machine),
    left(machine, request) {
      trace.note("send", `${machine.name} ${request.method} ${bare(request.path)}`);
      const token = request.headers["authorization"]?.slice("Bearer ".length);
      if (token !== undefined && !parts.commitWatch.committedTokens.has(token))
        violations.report("I7", `${machine.name} uses a token that no store holds yet`);
      waits.left(machine, request);
      parts.sellerWatch.left(machine, request);
      const paying = request.method === "POST" ? PAY_PATH.exec(request.path) : null;
      if (paying !== null) {
        payingRequests.set(request, machine);
        judgePayment(machine, Number(paying[1]));
      }
      if (request.path === REFRESH_PATH) judgeRefresh(machine, request);
    },
    done(_machine, request) {
      if (request.path === REFRESH_PATH) refreshing.get(tokenOf(request))?.delete(request);
    },
    died(machine) {
      // Its connections are closed, so another process may refresh, as after a timeout.
      for (const underWay of refreshing.values())
        for (const [request, asker] of underWay) if (asker === machine) underWay.delete(request);
    },
    answered(machine, request, outcome, answer) {
      trace.note("heard", `${machine.name} ${request.method} ${bare(request.path)} ${outcome}`);
      trace.count(`heard ${outcome}`);
      payingRequests.delete(request);
      parts.sellerWatch.answered(request);
      if (request.path === REFRESH_PATH) {
        if (answer === null) trace.count("refresh lost");
        // The process gave up waiting, so a refresh may be repeated.
        refreshing.get(tokenOf(request))?.delete(request);
      }
      if (answer?.status === 429) waits.askedToWait(machine, request, answer.retryAfter);
    },
  };
}

interface WaitWatch {
  left(machine: Machine, request: ExchangeRequest): void;
  askedToWait(machine: Machine, request: ExchangeRequest, retryAfter: string | null): void;
}

/** I15: a process respects Retry-After for each account. */
function createWaitWatch({ violations, time }: NetworkWatchParts): WaitWatch {
  /** By process and account: the end of the wait by the process's clock and by world time. */
  const waiting = new Map<string, { readonly untilMs: number; readonly untilWorldMs: number }>();
  const sessionOf = (machine: Machine, { headers }: ExchangeRequest): string | null => {
    const accountId = accountIdOf(headers["authorization"]);
    return accountId === null ? null : `${machine.name} ${accountId}`;
  };
  return {
    left(machine, request) {
      const session = sessionOf(machine, request);
      const wait = session === null ? undefined : waiting.get(session);
      // A process whose clock is corrected meanwhile has still waited long enough.
      if (wait !== undefined && machine.clock.nowMs() < wait.untilMs && time.nowMs() < wait.untilWorldMs)
        violations.report("I15", `${machine.name} asks ${bare(request.path)} before Retry-After`);
    },
    askedToWait(machine, request, retryAfter) {
      const session = sessionOf(machine, request);
      const seconds = /^\d{1,9}$/.exec(retryAfter ?? "")?.[0];
      if (session === null || seconds === undefined) return;
      const waitMs = Number(seconds) * 1_000;
      const untilMs = machine.clock.nowMs() + waitMs;
      waiting.set(session, { untilMs, untilWorldMs: time.nowMs() + waitMs });
    },
  };
}

const claims = z.object({ sub: z.number() });

function accountIdOf(authorization: string | undefined): number | null {
  const payload = authorization?.split(".")[1];
  if (payload === undefined) return null;
  return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))).sub;
}

function tokenOf({ body }: ExchangeRequest): string {
  return JSON.stringify(body);
}

/** Without the query. */
function bare(path: string): string {
  const queryAt = path.indexOf("?");
  return queryAt < 0 ? path : path.slice(0, queryAt);
}
