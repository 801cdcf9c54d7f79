"""Pictures of trees: `show.plot` draws with matplotlib, `show.page` writes pages; both share these modules."""
