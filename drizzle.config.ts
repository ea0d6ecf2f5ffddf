import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: [
    "./src/store/schema.ts",
    "./src/store/purchase-schema.ts",
    "./src/store/alert-schema.ts",
    "./src/store/node-schema.ts",
  ],
  out: "./src/store/migrations",
});
