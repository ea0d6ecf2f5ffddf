import { index, pgTable, text } from "drizzle-orm/pg-core";
import { milliseconds } from "./schema.ts";

/**
 * The processes that share this database. Moments are the database's own: nodes need not agree about the time to
 * agree about who lives. The embedded store has one process alone and keeps no rows here.
 */
export const nodes = pgTable(
  "nodes",
  {
    id: text("id").primaryKey(),
    aliveUntilMs: milliseconds("alive_until_ms").notNull(),
  },
  (table) => [index("nodes_by_end").on(table.aliveUntilMs)],
);

/** What only one node may do at a time, and until when it may. */
export const nodeRoles = pgTable("node_roles", {
  role: text("role").primaryKey(),
  nodeId: text("node_id").notNull(),
  untilMs: milliseconds("until_ms").notNull(),
});
