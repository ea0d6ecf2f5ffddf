import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { COLOUR_SCHEME_KEY } from "../ui/colour-scheme.ts";
import { styleNonce, theme, themeVariables } from "../ui/theme.ts";
import "../ui/mantine.css";

const colourScheme = localStorageColorSchemeManager({ key: COLOUR_SCHEME_KEY });

/** The component library, as the panel and the messages use it. */
export function LibraryProvider({ children }: { readonly children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      colorSchemeManager={colourScheme}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      {children}
    </MantineProvider>
  );
}
