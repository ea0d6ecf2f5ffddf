import { fileURLToPath } from "node:url";

/** The generated SQL, the same for both engines. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));
