/** What the palette finds without a request: screens and settings. */
import type { LucideIcon } from 'lucide-react'
import { groupsOf, isShownTo, type Screen } from '../../navigation.ts'
import { t } from '../../strings/en.ts'
import { settings } from './settings.ts'

export interface PaletteItem {
  /** Unique, and the same at the next visit. */
  readonly id: string
  readonly name: string
  /** Where it is. */
  readonly detail?: string | undefined
  /** Words by which it is found, besides its name and detail. */
  readonly words?: string | undefined
  readonly path: string
  /** The title of the section or row of the screen that it leads to. */
  readonly section?: string | undefined
  readonly icon?: LucideIcon
  /** Its picture instead of an icon. */
  readonly person?: { readonly handle: string; readonly avatar?: string | undefined }
  /** What to do before its screen opens. */
  onOpen?(): void
}

/** Returns the screens and settings that a session may see. */
export function localItems(isOwner: boolean): readonly PaletteItem[] {
  const shown = groupsOf(isShownTo(isOwner))
    .flatMap(({ entries }) => entries)
    .flatMap(({ icon, screens }) => screens.map((screen) => ({ screen, icon })))
  const ofScreens = shown.map(({ screen: { path, name }, icon }) => ({
    ...{ id: path, name, path, icon },
    words: t.paletteWords.screens[path],
  }))
  return [...ofScreens, ...shown.flatMap(({ screen, icon }) => settingsOf(screen, icon))]
}

function settingsOf(screen: Screen, icon: LucideIcon): readonly PaletteItem[] {
  return settings
    .filter(([path]) => path === screen.path)
    .flatMap(([path, ofScreen]) =>
      ofScreen.map(({ section, name = section ?? screen.name, words }) => ({
        ...{ id: `${path} ${name}`, name, words, path, section, icon },
        detail: screen.name,
      })),
    )
}

/** Returns the items in which each word of a query begins a word, best first: the name counts most. */
export function matching(
  items: readonly PaletteItem[],
  query: string,
  recent: readonly string[] = [],
): readonly PaletteItem[] {
  const typed = wordsOf(query)
  const isRecent = ({ id }: PaletteItem) => Number(recent.includes(id))
  return items
    .map((item) => ({ item, rank: rankOf(item, typed) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || isRecent(b.item) - isRecent(a.item))
    .map(({ item }) => item)
}

/** Returns 0 if the name begins with what is typed, 1 if it has all the words, 2 if others have some; undefined: no match. */
function rankOf(
  { name, detail = '', words = '' }: PaletteItem,
  typed: readonly string[],
): number | undefined {
  if (name.toLowerCase().startsWith(typed.join(' '))) return 0
  const hasAll = (text: string) => {
    const own = wordsOf(text)
    return typed.every((word) => own.some((one) => one.startsWith(word)))
  }
  if (hasAll(name)) return 1
  return hasAll(`${name} ${detail} ${words}`) ? 2 : undefined
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? []
}
