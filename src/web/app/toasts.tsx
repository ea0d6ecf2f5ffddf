import { Notifications } from "@mantine/notifications";
import { LibraryProvider } from "../ui/theme.tsx";
import { MAX_TOASTS } from "../ui/toasts/toast.tsx";

export function Toasts() {
  return (
    <LibraryProvider>
      <Notifications position="bottom-right" limit={MAX_TOASTS} zIndex={500} />
    </LibraryProvider>
  );
}
