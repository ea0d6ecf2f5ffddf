import type { Alerts } from "#alerts/alerts.ts";
import type { Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { User } from "#domain/user.ts";
import type { FeedState } from "#feed/feed.ts";
import type { MarketMemory } from "#market/market-memory.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { Config } from "../config.ts";

export interface OperatorDeps {
  readonly config: Config;
  readonly store: OpenStore;
  readonly sessions: Pick<Sessions, "endAll">;
  readonly purchasing: Purchasing;
  readonly alerts: Pick<Alerts, "refusedServices" | "statistics">;
  /** Null on a node that does not read the market. */
  readonly feedState: (() => FeedState) | null;
  readonly memory: Pick<MarketMemory, "erase" | "facts">;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

/** A command that cannot be executed, with the reason for the operator. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** @throws OperatorError unless exactly one person has the name or id */
export async function personNamed(name: string, { store }: Pick<OperatorDeps, "store">): Promise<User> {
  const user = await store.users.find(name);
  if (user !== null) return user;
  throw new OperatorError(
    `nobody, or more than one person, answers to "${name}": "users" lists everybody's id`,
  );
}

/** Aligned rows of cells; the first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** "2026-11-20 14:05 UTC" */
export function utcText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Removes control characters and escape sequences from foreign text. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?");
}
