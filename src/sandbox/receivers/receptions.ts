/** The alerts received by the sandbox, and the faults that tests arm in the receivers. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ALERT_CHANNEL_NAMES, type AlertChannelName } from "#catalogue/alert-channels.ts";
import type { Clock } from "#domain/clock.ts";
import { numberCell, type Row, textCell } from "../database/database.ts";
import type { MarketDatabase } from "../database/market-database.ts";

/** Refused: rate_limit, gone, down. Accepted: slow, after a delay; lost_answer, without an answer. */
const FAULT_KINDS = ["slow", "rate_limit", "gone", "down", "lost_answer"] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

export const faultBody = z.union([
  z.strictObject({ clear: z.literal(true) }),
  z.strictObject({
    canal: z.enum(ALERT_CHANNEL_NAMES),
    /** A chat may be given as a number. */
    pour: z.union([z.string(), z.int().transform(String)]).optional(),
    kind: z.enum(FAULT_KINDS),
    count: z.int().min(1).optional(),
    delay_ms: z.int().min(0).max(600_000).optional(),
    retry_after: z.int().min(0).max(86_400).optional(),
  }),
]);
type FaultSpec = Exclude<z.output<typeof faultBody>, { readonly clear: true }>;

export interface Fault {
  readonly kind: FaultKind;
  readonly retryAfterS: number;
}

const SLOW_MS = 8_000;
const RETRY_AFTER_S = 2;

/** A received alert. */
interface Arrival {
  readonly channel: AlertChannelName;
  /** The device's name, chat, webhook or address. */
  readonly recipient: string;
  readonly isTaken: boolean;
  readonly status: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Decoded; null when only the recipient can decrypt it. */
  readonly content: unknown;
  readonly body: Uint8Array;
}

export interface Reception {
  readonly n: number;
  readonly canal: string;
  readonly pour: string;
  readonly a: number;
  readonly pris: boolean;
  readonly statut: number;
  readonly methode: string;
  readonly entetes: unknown;
  readonly contenu: unknown;
  readonly corps: string;
}

export interface Receptions {
  note(arrival: Arrival): void;
  find(query: {
    readonly channel?: string;
    readonly recipient?: string;
    readonly after: number;
  }): readonly Reception[];
  newest(limit: number): readonly Reception[];
  arm(fault: z.output<typeof faultBody>): void;
  armed(): readonly FaultSpec[];
  /** The fault that strikes this alert, after its delay; its remaining count is decremented. Null for none. */
  strike(channel: AlertChannelName, recipient: string): Promise<Fault | null>;
}

const KEPT = 10_000;
const MAX_FOUND = 1_000;

export function createReceptions({ sql }: MarketDatabase, clock: Pick<Clock, "nowMs">): Receptions {
  const insert = sql.prepare(
    "INSERT INTO reception (channel, recipient, at, is_taken, status, method, headers, content, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const prune = sql.prepare("DELETE FROM reception WHERE n <= ?");
  const find = sql.prepare(
    "SELECT * FROM reception WHERE n > ? AND (? = '' OR channel = ?) AND (? = '' OR recipient = ?) ORDER BY n LIMIT ?",
  );
  const newest = sql.prepare("SELECT * FROM reception ORDER BY n DESC LIMIT ?");
  let faults: { readonly spec: FaultSpec; left: number }[] = [];
  return {
    note(one) {
      const { lastInsertRowid } = insert.run(
        one.channel,
        one.recipient,
        clock.nowMs(),
        Number(one.isTaken),
        one.status,
        one.method,
        JSON.stringify(one.headers),
        one.content === null ? null : JSON.stringify(one.content),
        Buffer.from(one.body).toString("base64"),
      );
      prune.run(Number(lastInsertRowid) - KEPT);
    },
    find({ channel = "", recipient = "", after }) {
      return find.all(after, channel, channel, recipient, recipient, MAX_FOUND).map(receptionOf);
    },
    newest: (limit) => newest.all(limit).map(receptionOf),
    arm(fault) {
      if ("clear" in fault) faults = [];
      else faults.push({ spec: fault, left: fault.count ?? Infinity });
    },
    armed: () => faults.map(({ spec }) => spec),
    async strike(channel, recipient) {
      const fault = faults.find(
        ({ spec }) => spec.canal === channel && (spec.pour === undefined || spec.pour === recipient),
      );
      if (fault === undefined) return null;
      fault.left -= 1;
      if (fault.left <= 0) faults = faults.filter((one) => one !== fault);
      const {
        kind,
        delay_ms: delayMs = kind === "slow" ? SLOW_MS : 0,
        retry_after: retryAfterS = RETRY_AFTER_S,
      } = fault.spec;
      if (delayMs > 0) await sleep(delayMs);
      return { kind, retryAfterS };
    },
  };
}

function receptionOf(row: Row): Reception {
  const content = row["content"];
  return {
    n: numberCell(row, "n"),
    canal: textCell(row, "channel"),
    pour: textCell(row, "recipient"),
    a: numberCell(row, "at"),
    pris: numberCell(row, "is_taken") === 1,
    statut: numberCell(row, "status"),
    methode: textCell(row, "method"),
    entetes: JSON.parse(textCell(row, "headers")),
    contenu: typeof content === "string" ? JSON.parse(content) : null,
    corps: textCell(row, "body"),
  };
}
