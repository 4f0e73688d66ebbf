/** What the model of a place checks, and the error of a rule that is broken. */

export const rules = {
  claim: 'a status that says "copied" is true',
  proof: 'a copy that is called proven comes back',
  media: 'media that the place lacks are counted',
  refusal: 'writes are refused only if another computer has run with the data',
  two: 'two computers that read the place do not both go on',
  restore: 'a restore is the newest state of one computer, or says what it lacks',
  kept: 'what a restore point needs stays, whatever one reading says',
  empty: 'a place that had the copy and is empty is a problem',
  recovery: 'after the faults, a copy is soon up to date',
} as const

export type Rule = keyof typeof rules

export class Violation extends Error {
  readonly rule: Rule

  constructor(rule: Rule, message: string) {
    super(`${rule}: ${message}`)
    this.rule = rule
  }
}
