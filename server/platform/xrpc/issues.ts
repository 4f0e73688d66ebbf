/** Texts for values that the lexicon refuses, as forms and programs show them. */
import { l } from '@atproto/lex-schema'

/** What limits count, by the type of the value. */
const units: Readonly<Record<string, string>> = {
  string: ' bytes',
  bytes: ' bytes',
  blob: ' bytes',
  grapheme: ' characters',
  array: ' items',
}

/** Describes the refused values in one sentence each, with the name of the property first. */
export function describeIssues(issues: readonly l.Issue[]): string {
  return issues.map((issue) => `${nameOf(issue.path)} ${problemOf(issue)}`).join('; ')
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'The body' : path.map(String).join('.')
}

function problemOf(issue: l.Issue): string {
  if (issue instanceof l.IssueRequiredKey) return `needs ${String(issue.key)}`
  if (issue instanceof l.IssueTooBig) return `may have at most ${issue.maximum}${units[issue.type] ?? ''}`
  if (issue instanceof l.IssueTooSmall) return `must have at least ${issue.minimum}${units[issue.type] ?? ''}`
  if (issue instanceof l.IssueInvalidType) return `must be ${issue.expected.map(article).join(' or ')}`
  if (issue instanceof l.IssueInvalidFormat) return `is not a valid ${issue.formatDescription}`
  if (issue instanceof l.IssueInvalidValue)
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  return `is not valid: ${issue.message}`
}

function article(type: string): string {
  if (type === '$typed') return 'an object with a $type'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
