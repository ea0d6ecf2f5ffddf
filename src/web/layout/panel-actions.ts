import { createContext, use } from "react";

/** Actions of the panel's shell that any screen can trigger. */
interface PanelActions {
  readonly openSettings: () => void;
  readonly openHelp: () => void;
}

const PanelActionsContext = createContext<PanelActions>({
  openSettings: () => undefined,
  openHelp: () => undefined,
});

export const PanelActionsProvider = PanelActionsContext.Provider;

export function usePanelActions(): PanelActions {
  return use(PanelActionsContext);
}
