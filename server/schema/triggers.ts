/** Triggers that concern several wings, and conditions and statements that they share. */
import { actorPaths, paths } from '../repository/format/link-paths.ts'

/** Triggers that carry the state of an account to its actor, and from there to its notifications. */
export const states = `
  CREATE TRIGGER account_is_created AFTER INSERT ON accounts
    BEGIN${setInactive()}
    END;
  CREATE TRIGGER account_changes_state AFTER UPDATE OF deactivated_at, taken_down_at, suspended_at ON accounts
    BEGIN${setInactive()}
    END;
  -- Notifications by an account that is being deleted are deleted instead of hidden.
  CREATE TRIGGER actor_changes_state AFTER UPDATE OF inactive ON actors
    WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.id AND did <> NEW.did)
    BEGIN
      UPDATE notifications SET hidden = (hidden & ~1) | NEW.inactive
        WHERE author = NEW.id AND hidden & 1 <> NEW.inactive;
    END;
  CREATE TRIGGER actor_changes_counts AFTER UPDATE OF inactive ON actors WHEN NEW.inactive <> OLD.inactive
    BEGIN
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT l.subject, 1, 0
          FROM records r CROSS JOIN links l ON l.record = r.id AND l.path = ${paths.follow}
          WHERE r.actor = NEW.id AND r.collection IN (SELECT id FROM collections WHERE name = 'graph.follow')
        ON CONFLICT DO UPDATE SET followers = followers + OLD.inactive - NEW.inactive;
      INSERT INTO follow_counts (actor, followers, follows)
        SELECT DISTINCT actor, 0, 1 FROM links WHERE subject = NEW.id AND path = ${paths.follow}
        ON CONFLICT DO UPDATE SET follows = follows + OLD.inactive - NEW.inactive;
    END;
`

/** Triggers that delete the rows to which nothing refers any more. */
export const orphans = `
  CREATE TRIGGER link_orphans AFTER DELETE ON links WHEN OLD.path IN ${actorPaths}
    BEGIN
      -- First, as it depends on the state of the actor.
      UPDATE follow_counts SET followers = followers - 1
        WHERE actor = OLD.subject AND OLD.path = ${paths.follow} AND ${isFirst('OLD')} AND ${isActive('OLD.actor')};
      UPDATE follow_counts SET follows = follows - 1
        WHERE actor = OLD.actor AND OLD.path = ${paths.follow} AND ${isFirst('OLD')} AND ${isActive('OLD.subject')};
      DELETE FROM follow_counts WHERE actor IN (OLD.subject, OLD.actor) AND followers = 0 AND follows = 0;${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER record_is_deleted AFTER DELETE ON records
    BEGIN${subtractSize()}${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER account_is_deleted AFTER DELETE ON accounts
    BEGIN
      UPDATE actors SET inactive = 1 WHERE id = OLD.id;
      DELETE FROM notifications WHERE author = OLD.id;
      DELETE FROM records WHERE actor = OLD.id;${deleteOrphan('OLD.id')}
    END;
  CREATE TRIGGER subjects_orphans AFTER DELETE ON subjects
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER muted_lists_orphans AFTER DELETE ON muted_lists
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER muted_threads_orphans AFTER DELETE ON muted_threads
    BEGIN${deleteOrphan('OLD.actor')}
    END;
  CREATE TRIGGER activity_subscriptions_orphans AFTER DELETE ON activity_subscriptions
    BEGIN${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER mutes_orphans AFTER DELETE ON mutes
    BEGIN${deleteOrphan('OLD.subject')}
    END;
  CREATE TRIGGER notifications_orphans AFTER DELETE ON notifications WHEN OLD.record IS NULL
    BEGIN${deleteOrphan('OLD.author')}
    END;
`

/** Subtracts a record from the size of its collection. */
export function subtractSize(): string {
  return `
      UPDATE collection_sizes SET records = records - 1, bytes = bytes - length(OLD.bytes)
        WHERE actor = OLD.actor AND collection = OLD.collection;
      DELETE FROM collection_sizes WHERE actor = OLD.actor AND collection = OLD.collection AND records = 0;`
}

/** Whether a link is the only one of its path between its actors. */
export function isFirst(row: string): string {
  return `NOT EXISTS (SELECT 1 FROM links
          WHERE subject = ${row}.subject AND path = ${row}.path AND actor = ${row}.actor AND record <> ${row}.record)`
}

export function isActive(actor: string): string {
  return `NOT EXISTS (SELECT 1 FROM actors WHERE id = ${actor} AND inactive = 1)`
}

/** Carries the state of an account to its actor. */
function setInactive(): string {
  const isInactive =
    '(NEW.deactivated_at IS NOT NULL OR NEW.taken_down_at IS NOT NULL OR NEW.suspended_at IS NOT NULL)'
  return `
      UPDATE actors SET inactive = ${isInactive} WHERE id = NEW.id AND inactive <> ${isInactive};`
}

/** Deletes an actor to which nothing refers. */
function deleteOrphan(actor: string): string {
  return `
      DELETE FROM actors WHERE id = ${actor}
        AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = ${actor})
        AND NOT EXISTS (SELECT 1 FROM records WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM subjects WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM links WHERE subject = ${actor} AND path IN ${actorPaths})
        AND NOT EXISTS (SELECT 1 FROM notifications WHERE author = ${actor})
        AND NOT EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = ${actor})
        AND NOT EXISTS (SELECT 1 FROM mutes WHERE subject = ${actor})
        AND NOT EXISTS (SELECT 1 FROM muted_lists WHERE actor = ${actor})
        AND NOT EXISTS (SELECT 1 FROM muted_threads WHERE actor = ${actor});`
}
