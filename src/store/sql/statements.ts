import { readFileSync } from "node:fs";
import type { Statement } from "../engines/db.ts";

/** The statements that are executed most, each in a file of its own. */
export const FACTS = statement("facts");
export const OPEN = statement("open");
export const MOVE = statement("move");
export const PUBLISHED = statement("published");
export const STANDING_CHANGES = statement("standing-changes");

function statement(name: string): Statement {
  return { name, text: readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8") };
}
