/**
 * The upgrades of databases of released versions, oldest first: each leads to the next `user_version`, the first one from 1 to 2.
 * `schema.ts` has the result of all. Append only: a released upgrade never changes. The pages that one of them changes are in memory until
 * its end, so it changes no table of records, blocks or notifications as a whole: it adds columns, and a job fills them.
 */
export const upgrades: readonly string[] = []
