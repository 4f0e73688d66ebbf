/**
 * The schema of the database: all tables, indexes and triggers, in one part for each wing, and the upgrades from earlier versions.
 *
 * Times are ISO 8601 text in UTC with milliseconds, which sorts by time, or milliseconds since 1970 in integer columns;
 * booleans are 0 and 1. Columns that an upgrade adds come last in their table, as in an upgraded database.
 */
import type { Schema } from '../store/database/migrate.ts'
import { notifications, views } from './app.ts'
import { handles, network } from './federation.ts'
import { accounts, signIn } from './identity.ts'
import { kernel, server } from './kernel.ts'
import { operation } from './operation.ts'
import { blobs, events, links, moves, repositories } from './repository.ts'
import { orphans, states } from './triggers.ts'
import { upgrades } from './upgrades.ts'

const tables = [
  ...[server, kernel, accounts, signIn, repositories, blobs, links, views, notifications],
  ...[events, moves, operation, network],
]

export const schema: Schema = { sql: [...tables, states, orphans, handles].join(''), upgrades }
