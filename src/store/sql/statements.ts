import { readFileSync } from "node:fs";
import type { Statement } from "../engines/db.ts";

/** The statements that are executed most, each in a file of its own. */
export const FACTS = statement("facts");
export const OPEN = statement("open");
export const MOVE = statement("move");
export const PUBLISHED = statement("published");
export const ALERT_PLAN = statement("alert-plan");
export const ALERT_CLAIM = statement("alert-claim");
export const ALERT_SETTLE = statement("alert-settle");
export const ALERT_STATISTICS = statement("alert-statistics");
export const STANDING_CHANGES = statement("standing-changes");

function statement(name: string): Statement {
  return { name, text: readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8") };
}
