/** The appearance somebody chose; `system` follows the system. `public/theme.js` applies it before the first paint. */
import { createStore } from '../api/store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'pds.theme'

export const theme = createStore<Theme>(themes.find((one) => one === localStorage.getItem(key)) ?? 'system')

export function setTheme(chosen: Theme): void {
  theme.set(chosen)
  document.documentElement.dataset.theme = chosen
  localStorage.setItem(key, chosen)
}
