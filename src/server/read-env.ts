import type { z } from "zod";
import { SECRET_SETTINGS, settings } from "./settings.ts";
import { StartRefused } from "./start-refused.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingValues = z.output<typeof settings>;

/**
 * Reads and validates each setting: its value, its default, or null. An empty value counts as absent.
 * @throws StartRefused naming the first invalid setting and its valid values
 */
export function readEnv(env: Environment): SettingValues {
  const written = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const text = env[name]?.trim() ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
  const result = settings.safeParse(written);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path[0] ?? "a setting";
  throw new StartRefused(`${String(name)} ${issue?.message ?? "is wrong"}${shown(name, written)}`);
}

function shown(name: PropertyKey, written: Readonly<Record<PropertyKey, string>>): string {
  const text = written[name];
  return text === undefined || SECRET_SETTINGS.has(name)
    ? ""
    : ` (it is ${JSON.stringify(text.slice(0, 80))})`;
}
