"""Figure 4.3 alone, as `panel convert` takes it: what the book's page is measured against."""

import panel as pn

from widgets.bank_conflicts import BankConflicts

pn.extension()
BankConflicts().view().servable()
