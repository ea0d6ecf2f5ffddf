import { ActionIcon, Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useEffect } from "react";
import { Tip } from "../ui/tag-badge.tsx";
import { colourBrowser } from "../ui/theme/colour-scheme.ts";

interface ThemeToggleProps {
  /** Shows the label as text, where there is room. */
  readonly hasWords?: boolean;
}

/** Switches between dark and light; until first used, the page follows the system. */
export function ThemeToggle({ hasWords = false }: ThemeToggleProps) {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("dark", { getInitialValueInEffect: false });
  // Also after a change in another tab.
  useEffect(() => colourBrowser(scheme), [scheme]);
  const isDark = scheme === "dark";
  const label = isDark ? "Passer au thème clair" : "Passer au thème sombre";
  const Icon = isDark ? IconSun : IconMoon;
  const toggle = (): void => setColorScheme(isDark ? "light" : "dark");
  if (hasWords) {
    return (
      <Button
        variant="subtle"
        justify="flex-start"
        fullWidth
        leftSection={<Icon size={18} stroke={1.7} />}
        onClick={toggle}
      >
        {label}
      </Button>
    );
  }
  return (
    <Tip text={label}>
      <ActionIcon aria-label={label} onClick={toggle}>
        <Icon size={21} stroke={1.7} />
      </ActionIcon>
    </Tip>
  );
}
