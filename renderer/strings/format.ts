/** Formats dates, times, numbers and plurals in the language of the texts. */
export const language = 'en'

/** The region of the browser decides the order of dates, the 12 or 24 hour clock and the decimal separator. */
const { region = 'US' } = new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale).maximize()
const locale = `${language}-${region}`

const number = new Intl.NumberFormat(locale)
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
const languageNames = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' })
const plurals = new Intl.PluralRules(language)

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const list = new Intl.ListFormat(locale, { type: 'conjunction' })

const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
] as const

/** The name of a language, such as “German”; undefined for an unknown one. @param tag BCP 47 */
export function formatLanguage(tag: string): string | undefined {
  return languageNames.of(tag)
}

export function formatNumber(value: number): string {
  return number.format(value)
}

/** “3.2 MB”, “5 bytes”. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), sizes.length - 1)
  const unitDisplay = power === 0 ? 'long' : 'short'
  const style = {
    style: 'unit',
    unit: sizes[power] ?? 'byte',
    unitDisplay,
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(locale, style).format(bytes / 1000 ** power)
}

/** “14:03:27.120”. @param at ISO 8601 */
export function formatTime(at: string): string {
  return time.format(new Date(at))
}

/** “14:03” or “2:03 PM”. @param at ISO 8601 */
export function formatClock(at: string): string {
  return clock.format(new Date(at))
}

/** @param at ISO 8601 */
export function formatDate(at: string): string {
  return date.format(new Date(at))
}

/** @param at ISO 8601 */
export function formatDateTime(at: string): string {
  return dateTime.format(new Date(at))
}

/** “15:21 today”, else as `formatDateTime`. @param at ISO 8601 @param now milliseconds */
export function formatMoment(at: string, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? `${formatClock(at)} today` : formatDateTime(at)
}

/** “3 minutes ago”, “in 2 weeks”, “now”. @param at ISO 8601 @param now milliseconds */
export function formatRelative(at: string, now: number): string {
  const distance = Date.parse(at) - now
  const [unit, length] = units.find(([, ms]) => Math.abs(distance) >= ms) ?? [
    'second',
    Number.POSITIVE_INFINITY,
  ]
  return relative.format(Math.trunc(distance / length), unit)
}

/** “20 seconds ago”, else as `formatRelative`. @param at ISO 8601 @param now milliseconds */
export function formatAge(at: string, now: number): string {
  const age = Math.max(0, now - Date.parse(at))
  return age < minute ? relative.format(-Math.trunc(age / second), 'second') : formatRelative(at, now)
}

/** “3 minutes”, “2 days”. @param seconds at least a minute */
export function formatLength(seconds: number): string {
  const [unit, length] = units.find(([, ms]) => seconds * second >= ms) ?? ['minute', minute]
  const value = Math.trunc((seconds * second) / length)
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** “14 Jan”. */
export function formatShortDay(day: Date): string {
  return shortDay.format(day)
}

/** “Today”, “Yesterday”, or the date. @param at ISO 8601 @param now milliseconds */
export function formatDay(at: string, now: number): string {
  const days = Math.round((startOfDay(new Date(at)) - startOfDay(new Date(now))) / day)
  const text = Math.abs(days) < 2 ? relative.format(days, 'day') : weekday.format(new Date(at))
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** `a, b, and c`. */
export function formatList(names: readonly string[]): string {
  return list.format(names)
}

/** The pieces of “A, B and C”, where each item keeps its place in the list. */
export function listParts(
  items: readonly string[],
): readonly { readonly text: string; readonly item?: number }[] {
  let at = 0
  return list
    .formatToParts(items)
    .map(({ type, value }) => (type === 'element' ? { text: value, item: at++ } : { text: value }))
}

/** A number with its noun in the right plural form. */
export function count(value: number, forms: { readonly one: string; readonly other: string }): string {
  return `${number.format(value)} ${plurals.select(value) === 'one' ? forms.one : forms.other}`
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
