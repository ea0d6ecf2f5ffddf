import { describe } from "vitest";
import { describePurchasesInTables } from "./engines.suite.ts";
import { postgresForAll } from "../suite-store.suite.ts";

const open = postgresForAll();

describe("purchases on PostgreSQL", () => {
  describePurchasesInTables(open);
});
