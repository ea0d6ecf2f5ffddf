/** Bodies are JSON or nothing. */
import { TEXTS } from "../error-texts.ts";
import { Refusal } from "../refusal.ts";
import type { App } from "../route-rule.ts";

export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    // An empty POST has no body, regardless of its content type.
    if (text === "") return done(null);
    const body = parseJson(String(text));
    if (body === unreadable) return done(new Refusal(400, TEXTS.unreadableBody));
    return isStorable(body) ? done(null, body) : done(new Refusal(400, TEXTS.unstorableText));
  });
}

const unreadable = Symbol("unreadable");

// "__proto__" becomes an ordinary key here, and the schemas drop every key that they do not name.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unreadable;
  }
}

/** PostgreSQL stores no NUL, and a lone surrogate is not valid text. Not recursive: the sender chooses the depth. */
function isStorable(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) return false;
    if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) open.push(inner);
  }
  return true;
}
