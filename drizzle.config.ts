import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./src/store/schema/tables.ts", "./src/store/schema/purchase-tables.ts"],
  out: "./src/store/migrations",
});
