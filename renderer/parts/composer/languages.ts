/** Languages of posts. */
import { formatLanguage, language as interfaceLanguage } from '../../strings/format.ts'

const storageKey = 'pds.language'

/** Written by many, offered to everybody. */
const common = ['en', 'es', 'pt', 'fr', 'de', 'ja']

/** Living languages that have a code of two letters (ISO 639-1). */
const all =
  'af am ar as ay az be bg bm bn bo br bs ca co cs cy da de dv dz el en eo es et eu fa ff fi fo fr fy ga gd gl gn gu ha he ' +
  'hi hr ht hu hy ia id ig is it iu ja jv ka kk kl km kn ko ku ky la lb lg ln lo lt lv mg mi mk ml mn mr ms mt my nb ne ' +
  'nl nn ny oc om or pa pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti ' +
  'tk tl tn to tr ts tt tw ug uk ur uz ve vi wo xh yi yo zh zu'

/** The language chosen last, if it could not be stored. */
let unstored: string | undefined

export interface Language {
  readonly code: string
  readonly name: string
}

/** The language of a draft, else the one chosen last, else that of the browser. */
export function languageOrDefault(ofDraft: string | undefined): string {
  return [ofDraft, unstored, localStorage.getItem(storageKey)].find(isCode) ?? codeOf(navigator.language)
}

export function rememberLanguage(code: string): void {
  try {
    localStorage.setItem(storageKey, code)
  } catch {
    // The storage is full or forbidden.
    unstored = code
  }
}

/** The languages that are offered at first: the chosen one, those of the browser and a few common ones. */
export function likelyLanguages(chosen: string): readonly Language[] {
  const codes = new Set([chosen, languageOrDefault(undefined), ...navigator.languages.map(codeOf), ...common])
  return [...codes].map(languageOf)
}

/** All languages by name, with the chosen one. */
export function allLanguages(chosen: string): readonly Language[] {
  const codes = new Set([chosen, ...all.split(' ')])
  return [...codes].map(languageOf).toSorted((a, b) => a.name.localeCompare(b.name))
}

function languageOf(code: string): Language {
  return { code, name: formatLanguage(code) ?? code }
}

function isCode(text: string | null | undefined): text is string {
  return /^[a-z]{2,3}$/.test(text ?? '')
}

/** The language without region and script. */
function codeOf(tag: string): string {
  return (
    tag
      .toLowerCase()
      .split(/[^a-z]/, 1)
      .find(isCode) ?? interfaceLanguage
  )
}
