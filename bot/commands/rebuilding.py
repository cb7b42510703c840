"""`rebuild --server`: the index of a server anew, from the clones of every repository it works in.

Works beside a running server: it shares its folder and database, and hears nothing. A search there
says of a repository that is being read that it is not indexed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.commands.backfilling import operator
from bot.database import connect
from bot.environment import Environment
from bot.errors import Fault
from bot.metrics import Metrics
from bot.work.indexing import Indexing, index_of


def rebuild_server(environment: Environment, now: Callable[[], datetime]) -> Mapping[str, int]:
    """How many pages each repository has, by full name.

    Raises UserError for what the operator has to mend, Fault where a repository could not be read;
    the others are done then.
    """
    counts: dict[str, int] = {}
    engine = connect(environment.database_url)
    with operator(environment, now) as by:
        index = index_of(engine, environment.data.absolute(), now)
        indexing = Indexing(index, by.memory, by.places.open, Metrics(), now)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        console = Console(stderr=True)
        with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
            for known in progress.track(by.memory.here(), description="Indexing"):
                index.drop(known.id)
                indexing.look(known)
                state = index.state(known.id)
                if state is not None:
                    counts[known.full_name] = state.documents
        indexing.stop()
        index.close()
    engine.dispose()
    if indexing.behind:
        raise Fault(f"{len(indexing.behind)} repositories could not be indexed: see above")
    return counts
