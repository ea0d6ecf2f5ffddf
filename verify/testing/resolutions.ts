/** Prints how each import within drizzle-orm is resolved when the product is loaded: quickly, and by Node itself. */
import { registerHooks } from "node:module";
import { withinPackage } from "#server/quick-resolve.ts";

const resolutions: { readonly quick: unknown; readonly own: unknown }[] = [];

registerHooks({
  resolve(specifier, context, next) {
    const own = next(specifier, context);
    const quick = withinPackage(specifier, context.parentURL);
    if (quick !== null) resolutions.push({ quick, own });
    return own;
  },
});
await import("#server/context.ts");
process.stdout.write(JSON.stringify(resolutions));
process.exit(0);
