/** Mantine's theme, built on the design tokens (tokens.css). */
import {
  createTheme,
  localStorageColorSchemeManager,
  MantineProvider,
  type ActionIconProps,
  type ButtonProps,
  type CSSVariablesResolver,
  type LoaderProps,
  type MantineColorsTuple,
  type ModalProps,
  type NativeSelectProps,
  type SkeletonProps,
  type SwitchProps,
  type TextareaProps,
  type TextInputProps,
  type VariantColorsResolver,
} from "@mantine/core";
import type { ReactNode } from "react";
import { COLOUR_SCHEME_KEY } from "./colour-scheme.ts";
import "./mantine.css";

const volt: MantineColorsTuple = [
  "#f8ffe0",
  "#efffbf",
  "#e4ff96",
  "#d8ff75",
  "#d0ff56",
  "#c8ff3d",
  "#a4d312",
  "#7fa600",
  "#5f7d00",
  "#476100",
];

/** The description is below the input, so that inputs side by side stay aligned. */
const inputWrapperOrder = ["label" as const, "input" as const, "description" as const, "error" as const];

/** Button variants in tokens, instead of the colours that Mantine would compute. */
const variantColours: VariantColorsResolver = ({ variant }) => {
  switch (variant) {
    case "filled":
      return {
        background: "var(--volt)",
        hover: "var(--volt-hover)",
        color: "var(--on-volt)",
        border: "1px solid var(--volt-edge)",
      };
    case "danger":
      return {
        background: "var(--danger-fill)",
        hover: "var(--danger-fill)",
        color: "var(--on-danger-fill)",
        border: "1px solid transparent",
      };
    case "danger-quiet":
      return {
        background: "transparent",
        hover: "var(--danger-soft)",
        color: "var(--danger)",
        border: "1px solid transparent",
      };
    case "outline":
      return {
        background: "transparent",
        hover: "var(--ink-2)",
        color: "var(--text-dim)",
        border: "1px solid var(--line)",
      };
    case "subtle":
      return {
        background: "transparent",
        hover: "var(--ink-2)",
        color: "var(--text)",
        border: "1px solid transparent",
      };
    default:
      return {
        background: "var(--ink-2)",
        hover: "var(--ink-3)",
        color: "var(--text)",
        border: "1px solid var(--line)",
      };
  }
};

/** Typed by props alone: importing the component itself would add its code to the first load. */
function withDefaults<Props>(defaultProps: Partial<Props>): { readonly defaultProps: Partial<Props> } {
  return { defaultProps };
}

const theme = createTheme({
  colors: { volt },
  primaryColor: "volt",
  primaryShade: { dark: 5, light: 5 },
  autoContrast: true,
  fontFamily: "var(--font)",
  defaultRadius: "md",
  radius: { sm: "var(--radius-sm)", md: "var(--radius-md)", lg: "var(--radius-lg)" },
  fontSizes: {
    xs: "var(--text-xs)",
    sm: "var(--text-sm)",
    md: "var(--text-md)",
    lg: "var(--text-lg)",
  },
  respectReducedMotion: true,
  cursorType: "pointer",
  variantColorResolver: variantColours,
  components: {
    Button: withDefaults<ButtonProps>({ variant: "default", size: "md" }),
    ActionIcon: withDefaults<ActionIconProps>({ variant: "subtle", size: "var(--touch)" }),
    Loader: withDefaults<LoaderProps>({ color: "currentColor" }),
    Modal: withDefaults<ModalProps>({
      radius: "lg",
      overlayProps: { color: "transparent", backgroundOpacity: 1 },
      closeButtonProps: { "aria-label": "Fermer", size: "var(--touch)", iconSize: 20 },
      transitionProps: { duration: 160 },
      // Mantine's title bar is a <header>, which would be a second banner landmark.
      attributes: { header: { role: "none" } },
      // mantine.css locks the scroll: Mantine would inject a style that the CSP refuses.
      lockScroll: false,
    }),
    TextInput: withDefaults<TextInputProps>({ size: "md", inputWrapperOrder, autoComplete: "off" }),
    Textarea: withDefaults<TextareaProps>({ size: "md" }),
    NativeSelect: withDefaults<NativeSelectProps>({ size: "md", inputWrapperOrder }),
    Switch: withDefaults<SwitchProps>({ size: "md", withThumbIndicator: false }),
    Skeleton: withDefaults<SkeletonProps>({ radius: "md" }),
  },
});

const schemeVariables = {
  "--mantine-color-body": "var(--ink-0)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--text-dim)",
  "--mantine-color-placeholder": "var(--text-dim)",
  "--mantine-color-default": "var(--ink-1)",
  "--mantine-color-default-hover": "var(--ink-2)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-disabled": "var(--ink-2)",
  "--mantine-color-disabled-color": "var(--text-dim)",
  "--mantine-color-disabled-border": "var(--line)",
  "--mantine-color-error": "var(--danger)",
  "--mantine-primary-color-filled": "var(--focus)",
};

/** The same for both schemes: tokens.css gives each token its value per scheme. */
const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: schemeVariables,
  dark: schemeVariables,
});

/** The CSP nonce for styles injected at run time. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

const colourScheme = localStorageColorSchemeManager({ key: COLOUR_SCHEME_KEY });

/** Mantine's provider, for the panel and for the toasts outside it. */
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
