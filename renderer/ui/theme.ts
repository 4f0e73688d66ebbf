/**
 * The chosen appearance; `system` follows the system. The desktop stores it in its settings, a browser in its local storage,
 * where `public/theme.js` reads it before the first paint.
 */
import type { SettingsView } from '../../electron/ground/bridge.ts'
import { desktop } from '../bridge.ts'
import { createStore } from '../store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'pds.theme'

export const theme = createStore<Theme>(
  themes.find((one) => !desktop && one === localStorage.getItem(key)) ?? 'system',
)

if (desktop) {
  const follow = ({ settings }: SettingsView) => show(settings.theme)
  desktop.on('settings', follow)
  void desktop.call('settings.view').then(follow)
}

export function setTheme(chosen: Theme): void {
  show(chosen)
  if (desktop) void desktop.call('settings.change', { theme: chosen })
  else localStorage.setItem(key, chosen)
}

function show(chosen: Theme): void {
  theme.set(chosen)
  document.documentElement.dataset.theme = chosen
}
