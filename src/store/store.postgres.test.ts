import { describe } from "vitest";
import { describeStore } from "./store.suite.ts";
import { postgresForAll } from "./suite-store.suite.ts";

const open = postgresForAll();

describe("the store on PostgreSQL", () => {
  describeStore(open);
});
